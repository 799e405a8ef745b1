"""`shiftproof quantify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_models, complete_quantifier
from shiftproof.cli._cut import Cut
from shiftproof.cli._job import Job
from shiftproof.cli._labels import KnownLabels
from shiftproof.cli._models import ModelOptions
from shiftproof.cli._tables import FileTables, TwoFiles
from shiftproof.core import fault

if TYPE_CHECKING:
    from shiftproof.quantification import Quantification


FailOn = Literal["broken", "unsure"]

# Two models that differ, as the estimate uses all of them.
_MODELS = "lr,boost"

# Why an estimate may be wrong, by what is known of its assumption.
_DOUBTS = {
    "broken": "more than the class proportions changed",
    "cannot tell": "it cannot be ruled out that more than the class proportions changed",
    "scores fit": "only the scores were checked for a change of more than the class proportions",
}


def quantify(
    *,
    files: TwoFiles,
    models: Annotated[str | None, complete_models] = None,
    trust: list[str] | None = None,
    score_column: str | None = None,
    method: Annotated[str | None, complete_quantifier] = None,
    by: str | None = None,
    every: options.Every | None = None,
    cut: Cut,
    groups: str | None = None,
    folds: int | None = None,
    labelling: KnownLabels,
    level: float = 0.9,
    assume: options.Assume = "natural",
    no_check: bool = False,
    machines: options.Machines,
    seed: int = 0,
    job: Job,
    fail_on: list[FailOn] | None = None,
) -> int:
    """Estimate the class proportions in unlabelled data, and say whether to trust the estimates.

    Just counting a classifier's predictions goes wrong as soon as the class
    proportions change. Here each model also scores labelled rows that it has
    not seen, so its errors are known and can be corrected for. The intervals
    allow for natural drift, in which other things change as well.
    If the new data are not the same kind of data, nothing is estimated.

    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]  --by date --every month --out page.html[/dim]

    With the scores of a deployed model:

    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]

    Items that a language model has judged, of which people have labelled some
    that were drawn at random (--labels and LABELLED are then the same file):

    [dim]shiftproof quantify sample.csv items.csv --target correct[/dim]
    [dim]  --score-column verdict --labels sample.csv --id item[/dim]

    Parameters
    ----------
    models : NAMES
        Models, separated by commas: lr (logistic regression), nb (naive Bayes), tree, knn (nearest neighbours), svm,
        forest or boost; a .skops file, used as is if the model in it is fitted; or module:attribute, which names an
        estimator, a dict of estimators or a function that returns them (this runs your code). With --method, only the
        model with the lowest Brier score is used; otherwise all of them. Default: lr,boost.
    score_column : COL
        A column in both files with a deployed model's probabilities of the positive class. The model must not have been
        trained on either file. For two classes only. No models are fitted.
    method : NAME
        The counting method, such as combined, 'adjusted count' or 'expectation maximization'. These assume that only
        the class proportions changed. The default does not: it corrects the mean probability of all models for their
        errors.
    by : COL
        Also estimate the class proportions in each period of this column (dates, or at most 200 distinct values).
    no_check
        Skip the check for other changes besides the class proportions. The check reads all features. This also changes
        the estimate: it then comes from the method 'combined', which assumes that only the class proportions changed.
    fail_on : WHAT
        Exit with status 1 on: broken (something else changed besides the class proportions), or unsure (broken, or
        another change cannot be ruled out). Separate several with commas.
    """
    from shiftproof.case import columns_aside, warn_of_columns_aside
    from shiftproof.cli._show import show_quantification
    from shiftproof.quantification import quantify as run

    options.require_by(every, by)
    with job.listening(), machines.working():
        scores = [] if score_column is None else [score_column]
        candidates = ModelOptions(models=models or (None if scores else _MODELS), trust=trust, score_column=scores)
        chosen = candidates.choose({"--folds": folds, "--groups": groups})
        tables = files.read(job, cut, scores, key=labelling.id, by=by)
        tables.check_groups(groups)
        known = labelling.read(job, tables, cut.missing)
        if not tables.scores and not chosen.fitted:
            # Models are fitted before the verb sees both tables, so it cannot leave these columns out itself.
            aside = columns_aside(chosen.models, tables.X, tables.X_new, hidden=[groups] if groups else [])
            warn_of_columns_aside(aside, tables.X, adjustable=False)
            for column in aside:
                tables = tables.without(column)
        features = tables.without(groups)
        given: tuple[Any, Any, Any] = features.X, features.y, features.X_new
        panel: Any
        if isinstance(tables, FileTables) and tables.scores and labelling.is_file(files.labelled):
            # The labels of new rows are all that is known of them.
            panel, given = {name: name for name in tables.scores}, (None, None, tables.pair.new)
        elif tables.scores:
            panel = tables.scored()
        else:
            if labelling.is_file(files.labelled):
                hint = "leave the rows of LABELLED out of NEW, or pass --score-column with verdicts of a judge"
                raise fault("--labels", "name other rows than those that models are fitted on", labelling.labels, hint)
            panel = chosen.panel(tables.X, tables.y, folds=folds, groups=groups, random_state=seed)
        with job.stage("estimating the class proportions"):
            result = run(
                panel,
                *given,
                method=method,
                by=by,
                every=every,
                check=not no_check,
                pos_label=tables.pos_label,
                labels=known,
                level=level,
                assume=assume,
                random_state=seed,
            )
    if no_check and fail_on is not None:
        job.note("because of --no-check, --fail-on looks only at the scores.")
    return job.end(result, show_quantification, failure=options.failure(fail_on, failures(result)))


def failures(result: Quantification) -> dict[FailOn, str]:
    """Say why each condition of --fail-on is met; an empty text if it is not."""
    vague = "" if result.informative else "the interval is too wide to say anything"
    # With labels of new rows, nothing is assumed.
    doubts = {} if result.n_labels else _DOUBTS
    return {
        "broken": doubts.get("broken", "") if result.assumption == "broken" else "",
        "unsure": doubts.get(result.assumption, vague),
    }
