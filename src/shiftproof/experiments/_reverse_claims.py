"""What Fan and Davidson (2006) say beyond the order of the biased pairs, each claim beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from shiftproof.experiments._boolean_worlds import CLAIM
from shiftproof.experiments._thesis import Statement


def claims_of_bias(figures: pd.DataFrame, pairs: pd.DataFrame, biased: tuple[str, ...]) -> Iterator[Statement]:
    """Give what the paper says of cross-validation with and without bias.

    Parameters
    ----------
    figures : DataFrame
        The accuracies of every learner, in per cent.
    pairs : DataFrame
        The better one of each pair, by each selector.
    biased : tuple of str
        The sets with biased training rows; all others are newsgroups.
    """
    with_bias = figures["dataset"].isin(list(biased))
    gaps = (figures["cross-validation"] - figures["test"]).abs().groupby(with_bias).mean()
    without, more = gaps.reindex([False, True]).tolist()
    here = f"{without:.1f} points from the truth without bias, {more:.1f} with bias"
    yield Statement("bias makes cross-validation's estimates worse (1.6 and 6.2 points)", here, more > without)
    known = pairs[~pairs["dataset"].isin(list(biased))]
    alike = known["ReverseTesting"] == known["cross-validation"]
    undecided = int((known["ReverseTesting"] == "").sum())
    here = f"the same for {int(alike.sum())} of {len(known)} pairs, {undecided} undecided"
    said = "on newsgroups, ReverseTesting's order is that of cross-validation (Table 13)"
    yield Statement(said, here, bool(alike.all()))


def claims_of_tables(frames: Mapping[str, pd.DataFrame]) -> Iterator[Statement]:
    """Give what the paper says of benefits, of its simulation and of information criteria."""
    money = frames["table-17-18"][["ReverseTesting right", "pairs", "undecided"]].sum().to_dict()
    decided = money["pairs"] - money["undecided"]
    here = f"{money['ReverseTesting right']} of {decided} decided, {money['undecided']} undecided (stand-ins)"
    said = "ReverseTesting orders all 12 pairs by benefit (Tables 17 and 18)"
    yield Statement(said, here, bool(money["ReverseTesting right"] == money["pairs"]))
    worlds = frames["equation-3"]
    shares = zip(worlds["estimates"], worlds["holds in %"], strict=True)
    here = ", ".join(f"{name} {share:.1f}%" for name, share in shares)
    holds = bool((worlds["holds in %"] >= 100 * CLAIM).all())
    yield Statement("equation 3 holds in around 99.9% of synthetic worlds", here, holds)
    nearer = frames["observations"]["nearer under P (Obs. 7.1)"]
    here = f"in {nearer.min():.0f}% to {nearer.max():.0f}% of decided worlds"
    said = "the one that Condition 4.1 prefers is nearer to the truth (Obs. 7.1)"
    yield Statement(said, here, bool((nearer >= 100 * CLAIM).all()))
    if "criteria" in frames:
        gaps = frames["criteria"].mean(numeric_only=True).to_dict()
        for name, other in (("AIC", "leave-one-out"), ("BIC", "10 folds")):
            gap, plain = gaps[f"{name} from {other}"], gaps["training from leave-one-out"]
            here = f"{gap:.3f} from it; the training loss {plain:.3f}"
            said = f"for logistic regression, {name} stands for {other} (log loss of a row)"
            yield Statement(said, here, bool(gap < plain / 2))
