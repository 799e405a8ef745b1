"""Step by step: a state and a batch's facts give the next state and a reading of the three alarms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Argument, InputError, check_choice, check_fraction, fault
from shiftproof.monitoring.alarms._changed import ChangedBets
from shiftproof.monitoring.alarms._changepoint import begin_range
from shiftproof.monitoring.alarms._dependence import effect_of_batch
from shiftproof.monitoring.alarms._evidence import LEVELS, Experts, Level, Mode, blame, log_mean
from shiftproof.monitoring.alarms._facts import N_CUTS, BatchFacts, CellPlan
from shiftproof.monitoring.alarms._harm import CORRECTED, LABEL_STEPS, HarmBets, LabelFacts, bet_on_labels
from shiftproof.monitoring.alarms._inputs import BetInputs
from shiftproof.monitoring.alarms._seasons import SeasonalMaterial
from shiftproof.monitoring.alarms._state import State
from shiftproof.monitoring.alarms._uniforms import uniforms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: What becomes of an alarm that somebody has seen.
How = Literal["restart", "resolved", "accept"]
#: Mean number of quiet batches to a false alarm, in the mode "run length".
RUN_LENGTH = 1000
#: What drift adds to the error of an estimate of accuracy without labels: on natural pairs 0.037 on average.
BIAS_SD = 0.04


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading:
    """What the alarms say after a batch.

    Attributes
    ----------
    log_evidence, log_limits : mapping of level to float
        Logarithms of the evidence and of what raises the alarm. A level that is not watched is absent.
    alarms : mapping of level to bool
        Whether the evidence is at the limit or above.
    columns : mapping of level to mapping of str to float
        The logarithm of each column's evidence, by level. *harm* has no columns.
    blamed : mapping of level to tuple of str
        Columns whose own evidence is enough among all columns (e-BH), strongest first.
    inputs : bytes
        What the bets on this batch rest on: the last 256 of them say since when (`Alarms.since`).
    by_labels : bool
        Whether the evidence of *harm* is that of labels alone.
    """

    log_evidence: Mapping[Level, float]
    log_limits: Mapping[Level, float]
    alarms: Mapping[Level, bool]
    columns: Mapping[Level, Mapping[str, float]]
    blamed: Mapping[Level, tuple[str, ...]]
    inputs: bytes
    by_labels: bool = False


def level_alphas(alpha: float, *, harm: bool) -> dict[Level, float]:
    """Return what each level may spend: *material* and *harm* share one alpha.

    Examples
    --------
    >>> level_alphas(0.05, harm=True), level_alphas(0.05, harm=False)
    ({'changed': 0.05, 'material': 0.025, 'harm': 0.025}, {'changed': 0.05, 'material': 0.05})
    """
    watched = LEVELS if harm else LEVELS[:2]
    return {level: alpha if level == "changed" or not harm else alpha / 2 for level in watched}


def _log_limit(level: Level, alpha: float) -> float:
    """Return the logarithm of the evidence that a level needs."""
    # Half of what pages is spent on the reference's own error, or on the estimate's bias.
    return math.log((1 if level == "changed" else 2) / alpha)


def next_share(acknowledged: int) -> float:
    """Return which share of alpha the next alarm has if all of a level's alarms, for a lifetime, share it.

    Examples
    --------
    >>> [round(next_share(number), 3) for number in range(3)], round(sum(map(next_share, range(1000))), 3)
    ([0.5, 0.167, 0.083], 0.999)
    """
    return 1 / ((acknowledged + 1) * (acknowledged + 2))


@dataclass(frozen=True, eq=False)
class Alarms:
    """Three alarms over a stream of batches. Make one with `Alarms.of`.

    Attributes
    ----------
    names : tuple of str
        The columns.
    mode : {"ever", "run length"}
        What the alarms promise.
    log_limits : mapping of level to float
        The logarithm of the evidence that raises each alarm, before any was acknowledged.
    lifetime : bool
        Whether all alarms of a level share its alpha, also after incidents.
    changed : tuple of ChangedBets
        By season; one if there are no seasons. All have the same cells and experts.
    """

    names: tuple[str, ...]
    mode: Mode
    log_limits: Mapping[Level, float]
    lifetime: bool
    seed: int
    effect: Floats
    mean_period: float | None
    changed: tuple[ChangedBets, ...]
    material: SeasonalMaterial
    harm: HarmBets | None

    @classmethod
    def of(
        cls,
        columns: Mapping[str, CellPlan],
        *,
        alpha: float = 0.05,
        mode: Mode = "ever",
        run_length: float = RUN_LENGTH,
        lifetime: bool = False,
        design_effect: float | Mapping[str, float] = 1.0,
        mean_period: float | None = None,
        floor: float | None = None,
        bias_sd: float | None = None,
        seed: int = 0,
        seasons: Sequence[Mapping[str, CellPlan]] = (),
    ) -> Alarms:
        """Prepare alarms for a reference.

        Parameters
        ----------
        columns : mapping of str to CellPlan
            The cells of every column and the reference's counts in them.
        alpha : float
            The probability of a false alarm ever, for *changed*, and for *material* and *harm* together.
        mode : {"ever", "run length"}
            "run length" raises alarms sooner, but with one false alarm every `run_length` unchanged batches on average.
        run_length : float
            The mean number of quiet batches to a false alarm of each level, in the mode "run length".
        lifetime : bool
            Whether all alarms that a level ever raises share its alpha: the i-th has alpha / (i (i + 1)). Otherwise
            each has the whole.
        design_effect : float or mapping of str to float
            How much less the rows of a period say than independent ones (`design_effect`), also per column.
        mean_period : float or None
            Rows of a period of the reference; for larger batches the design effect grows.
        floor : float or None
            The accuracy below which there is *harm*; None: it is not watched.
        bias_sd : float or None
            Standard deviation of the bias of estimates of accuracy; 0.04 by default.
        seed : int
            Draws the random numbers that spread ties and split batches into parts.
        seasons : sequence of mapping of str to CellPlan
            The same columns and cells, by season: rows are compared with those of their season. All seasons together
            have one process of evidence, so that nothing is split among them.
        """
        check_fraction(alpha, "alpha")
        check_choice(mode, "mode", ("ever", "run length"))
        if not columns:
            raise fault("columns", "have at least one column", {})
        if lifetime and mode != "ever":
            both = Argument("lifetime"), " cannot be used with ", Argument("mode", "run length")
            raise InputError(*both, "; that mode has no alpha to share")
        spend, first = level_alphas(alpha, harm=floor is not None), next_share(0) if lifetime else 1.0
        paging = spend["material"]
        effects = design_effect if isinstance(design_effect, Mapping) else dict.fromkeys(columns, design_effect)
        return cls(
            names=tuple(columns),
            mode=mode,
            log_limits={
                level: _log_limit(level, first * own) if mode == "ever" else math.log(run_length)
                for level, own in spend.items()
            },
            lifetime=lifetime,
            seed=seed,
            effect=np.array([effects.get(name, 1.0) for name in columns]),
            mean_period=mean_period,
            changed=tuple(ChangedBets.of(plans) for plans in seasons or [columns]),
            material=SeasonalMaterial(seasons or [columns], paging),
            harm=None if floor is None else HarmBets.of(floor, BIAS_SD if bias_sd is None else bias_sd, paging),
        )

    def start(self) -> State:
        """Return the state before the first batch."""
        arrays: dict[str, Any] = {**self.changed[0].begin(), **self.material.usual.begin()}
        pools = np.stack([bets.pool for bets in self.changed])
        arrays |= {"pool": pools, "before": np.zeros_like(pools), "acknowledged": np.zeros(len(LEVELS), np.int64)}
        if self.harm is not None:
            arrays |= self.harm.begin()
        return State(dict.fromkeys(LEVELS, 0), arrays)

    def step(self, state: State, facts: BatchFacts, batch_id: str) -> tuple[State, Reading]:
        """Add a batch.

        Parameters
        ----------
        state : State
            The state before the batch; it stays as it is.
        facts : BatchFacts
            What the batch has in the cells of every column. A batch without rows changes nothing.
        batch_id : str
            Names the batch; together with the seed it draws the random numbers.

        Returns
        -------
        state : State
            The state after the batch.
        reading : Reading
            The evidence and the alarms.
        """
        self._check(facts)
        arrays: dict[str, Any] = dict(state.arrays)
        batches = dict(state.batches)
        inputs = self._inputs(arrays, facts, batch_id) if facts.n else None
        for level, experts in self.experts.items():
            bets = None if inputs is None else self._bets(level, inputs)
            if bets is not None:
                batches[level] += 1
                arrays[level] = experts.grow(arrays[level], bets, batches[level], self.mode)
        bets = None if inputs is None or self.harm is None else self._bets("harm", inputs, corrected=True)
        if self.harm is not None and bets is not None:
            arrays[CORRECTED] = self.harm.experts.grow(arrays[CORRECTED], bets, batches["harm"], self.mode)
        after = State(batches, arrays)
        return after, self.read(after, b"" if inputs is None else inputs.to_bytes())

    def learn(self, state: State, facts: LabelFacts) -> tuple[State, Reading]:
        """Add labels of a batch, in the order in which they come.

        Parameters
        ----------
        state : State
            The state before; it stays as it is.
        facts : LabelFacts
            What the labels say.

        Returns
        -------
        state : State
            The state after.
        reading : Reading
            The evidence and the alarms.
        """
        if self.harm is None:
            raise fault("facts", "be left out without a floor", facts)
        arrays: dict[str, Any] = dict(state.arrays)
        self.harm.learn(arrays, facts, self.mode)
        after = State(state.batches, arrays)
        return after, self.read(after)

    def read(self, state: State, inputs: bytes = b"") -> Reading:
        """Return what the alarms say of a state.

        Parameters
        ----------
        state : State
            After a batch, or after an acknowledgement.
        inputs : bytes
            What the bets on the last batch rest on.
        """
        columns = {
            level: experts.evidence(state.arrays[level], state.batches[level], self.mode)
            for level, experts in self.experts.items()
        }
        evidence = {level: log_mean(values) for level, values in columns.items()}
        by_labels = False
        if self.harm is not None:
            harm = self.harm.evidence(state.arrays, state.batches["harm"], self.mode)
            evidence["harm"], by_labels = harm.larger, harm.by_labels > harm.by_estimates
        by_column = {level: values for level, values in columns.items() if level != "harm"}
        limits = self.limits(state)
        return Reading(
            log_evidence=evidence,
            log_limits=limits,
            alarms={level: evidence[level] >= limit for level, limit in limits.items()},
            columns={level: dict(zip(self.names, values.tolist(), strict=True)) for level, values in by_column.items()},
            blamed={
                level: tuple(self.names[j] for j in blame(values, limits[level])) for level, values in by_column.items()
            },
            inputs=inputs,
            by_labels=by_labels,
        )

    def limits(self, state: State) -> dict[Level, float]:
        """Return the logarithms of the evidence that raises each alarm now."""
        if not self.lifetime:
            return dict(self.log_limits)
        times = dict(zip(LEVELS, state.arrays["acknowledged"].tolist(), strict=True))
        less = {level: next_share(number) / next_share(0) for level, number in times.items()}
        return {level: limit - math.log(less[level]) for level, limit in self.log_limits.items()}

    def set_aside(self, state: State, counts: Ints) -> State:
        """Keep the pool of *changed* as it was before an incident, to be able to say when the data are back.

        Parameters
        ----------
        state : State
            The state with the incident.
        counts : array of int, shape (S, K)
            Rows of the incident's batches in each cell, by season, one column after another.
        """
        return State(state.batches, {**state.arrays, "before": state.arrays["pool"] - counts})

    def acknowledge(self, state: State, level: Level, how: How = "restart", *, back: Ints | None = None) -> State:
        """Begin a level's evidence again after an incident.

        Parameters
        ----------
        state : State
            The state with the incident.
        level : {"changed", "material", "harm"}
            Whose evidence restarts: with the whole alpha, so that at most 5% of quiet periods see a false alarm, or
            with its next share of it (`lifetime`).
        how : {"restart", "resolved", "accept"}
            "resolved", for *changed*: the data are as before again, so the pool is the one that was set aside, and the
            batches since the recovery. This is approximate. "accept" makes the batches to come the normal ones, for
            *changed*: the pool begins empty. The limits of *material* and *harm* are set by the reference, so accepting
            needs a new baseline.
        back : array of int, shape (S, K), optional
            The batches since the recovery: rows in each cell, by season, one column after another.
        """
        check_choice(level, "level", tuple(self.experts))
        check_choice(how, "how", ("restart", "resolved", "accept"))
        if how == "accept" and level != "changed":
            raise fault(
                "how", f"be 'restart' or 'resolved' for level={level!r}", how, hint="make a new baseline to accept it"
            )
        arrays = {**state.arrays, level: self.experts[level].none()}
        arrays["acknowledged"] = arrays["acknowledged"] + (np.array(LEVELS) == level)
        if level == "changed":
            nothing = np.zeros_like(arrays["pool"])
            returned = arrays["before"] + (nothing if back is None else back)
            pools = {"restart": arrays["pool"], "resolved": returned, "accept": nothing}
            arrays |= {"pool": pools[how], "before": nothing}
            if how != "restart":
                # What was learnt from the incident would be bet on the batches to come.
                arrays |= {name: np.zeros_like(arrays[name]) for name in ("moved", "seen")}
        if self.harm is not None and level == "harm":
            arrays |= self.harm.restarted(arrays[LABEL_STEPS])
        return State({**state.batches, level: 0}, arrays)

    def since(self, level: Level, last_inputs: Sequence[bytes], *, corrected: bool = False) -> tuple[int, int, int]:
        """Return the range of batches with which a change most likely began.

        Parameters
        ----------
        level : {"changed", "material", "harm"}
            The level.
        last_inputs : sequence of bytes
            `Reading.inputs` of the last batches since the level's evidence began, in order; 256 are plenty.
        corrected : bool
            For *harm*, whether to go by estimates less the bias that labels have shown.

        Returns
        -------
        first, last, likeliest : int
            Positions in `last_inputs`. The range holds 90% of the weight.
        """
        check_choice(level, "level", tuple(self.experts))
        replayed = [
            self._bets(level, BetInputs.from_bytes(stored), corrected=corrected) if stored else None
            for stored in last_inputs
        ]
        bets = {position: log_e for position, log_e in enumerate(replayed) if log_e is not None}
        if not bets:
            raise fault("last_inputs", "have a batch with rows", len(last_inputs))
        first, last, likeliest = begin_range(np.array([*bets.values()]), self.experts[level])
        positions = [*bets]
        return positions[first], positions[last], positions[likeliest]

    def since_labels(self, labelled: Sequence[tuple[int, int, float]]) -> tuple[int, int, int]:
        """Return the range of batches with which accuracy most likely fell below the floor, by labels alone.

        Parameters
        ----------
        labelled : sequence of (right, labelled, above)
            Of every batch with labels, in order, as in `LabelFacts`.

        Returns
        -------
        first, last, likeliest : int
            Positions in `labelled`. The range holds 90% of the weight.
        """
        if self.harm is None or not labelled:
            raise fault("labelled", "have a batch with labels", len(labelled))
        bets = [bet_on_labels(self.harm.floor + above, right, count) for right, count, above in labelled]
        return begin_range(np.array(bets), self.harm.experts)

    @cached_property
    def experts(self) -> dict[Level, Experts]:
        """The experts of the levels that are watched."""
        watched: dict[Level, Experts] = {"changed": self.changed[0].experts, "material": self.material.experts}
        return watched if self.harm is None else {**watched, "harm": self.harm.experts}

    @property
    def cell_starts(self) -> Ints:
        """Where each column's cells begin, shape (J + 1,)."""
        return self.changed[0].starts

    @cached_property
    def reference(self) -> Ints:
        """Rows of the reference in each cell, by season, one column after another."""
        columns = [[plan.reference for plan in plans.values()] for plans in self.material.seasons]
        return np.stack([np.concatenate(season) for season in columns])

    def _uniforms(self, batch_id: str, pieces: int) -> tuple[list[Floats], Floats]:
        """Draw the numbers that spread ties, for *changed*, by season; and those that split a batch, for *material*."""
        spread, split = self.changed[0].n_values, self.material.usual.n_uniforms
        widths = pieces * spread + split
        numbers = uniforms(self.seed, batch_id, self.names, widths.tolist())
        within = np.arange(len(numbers)) - np.repeat(np.cumsum(widths) - widths, widths)
        # Within a column, those of one season follow those of another.
        piece = within // np.repeat(spread, widths)
        return [numbers[piece == number] for number in range(pieces)], numbers[piece >= pieces]

    def _inputs(self, arrays: dict[str, Any], facts: BatchFacts, batch_id: str) -> BetInputs:
        """Return what the bets on a batch rest on, and let `arrays` learn from it."""
        mix = facts.mix(len(self.changed))
        spread, split = self._uniforms(batch_id, len(facts.by_season))
        bets, pools = [], arrays["pool"].copy()
        for (season, counts), numbers in zip(facts.by_season.items(), spread, strict=True):
            arrays["pool"] = pools[season]
            bets.append(self.changed[season].bet(arrays, np.concatenate(counts), numbers, self._effect(facts.n)))
            pools[season] = arrays["pool"]
        arrays["pool"] = pools
        # Given the totals of their seasons the parts of a batch are independent, so that their bets multiply.
        tilts, rows, learnt = (np.sum(parts, axis=0) for parts in zip(*bets, strict=True))
        below = [column for column in facts.below if column is not None]
        harm = corrected = np.empty(0)
        if self.harm is not None and facts.accuracy is not None and facts.accuracy_error is not None:
            harm = self.harm.log_e(facts.accuracy, facts.accuracy_error)
            corrected = self.harm.log_e_corrected(arrays, facts.accuracy, facts.accuracy_error)
        return BetInputs(
            mix=mix,
            tilts=tilts,
            rows=rows,
            learnt=learnt,
            missing=np.array([column[0] for column in facts.counts]),
            below=np.concatenate([np.empty(0, np.int64), *below]),
            levels=self.material.of(mix).bet(arrays, facts.counts, split).ravel(),
            harm=harm,
            corrected=corrected,
        )

    def _bets(self, level: Level, inputs: BetInputs, *, corrected: bool = False) -> Floats | None:
        """Return the logarithms of a level's bets on a batch; None if there was nothing to bet on."""
        if level == "changed":
            return self.changed[0].join(inputs.tilts, inputs.rows, inputs.learnt)
        n = round(float(np.sum(inputs.mix)))
        if level == "material":
            rows = np.full(len(self.names), n)
            log_e = self.material.of(inputs.mix).join(inputs.below, inputs.missing, rows, inputs.levels)
            return log_e / np.repeat(self._effect(n), np.diff(self.material.experts.starts))
        bets = inputs.corrected if corrected else inputs.harm
        return bets / self._effect(n).max() if len(bets) else None

    def _effect(self, n: int) -> Floats:
        """Return each column's design effect for a batch of n rows."""
        return effect_of_batch(self.effect, self.mean_period, n)

    def _check(self, facts: BatchFacts) -> None:
        """Refuse facts of other columns or cells than those of the reference."""
        cells = [len(column) for column in facts.counts]
        if cells != np.diff(self.cell_starts).tolist():
            raise fault("facts", "have the same cells as the reference", cells)
        if any(int(column.sum()) != facts.n for column in facts.counts):
            raise fault("facts", f"count {facts.n} rows in every column", [int(c.sum()) for c in facts.counts])
        if not {*facts.by_season} <= {*range(len(self.changed))} or int(facts.mix(len(self.changed)).sum()) != facts.n:
            raise fault("facts", f"count {facts.n} rows in the {len(self.changed)} seasons", [*facts.by_season])
        cuts = [None if column is None else len(column) for column in facts.below]
        if cuts != [N_CUTS if number else None for number in self.material.usual.is_number]:
            raise fault("facts", "have the same cuts as the reference", cuts)
