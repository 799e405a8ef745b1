"""`shiftproof stress`."""

from __future__ import annotations

from typing import Annotated, Any

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_families, complete_models
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._tables import LabelledFile, known_label


def stress(
    *,
    file: LabelledFile,
    models: Annotated[str | None, complete_models] = None,
    trust: list[str] | None = None,
    families: Annotated[str | None, complete_families] = None,
    features: str | None = None,
    exclude: list[str] | None = None,
    tolerance: float = 0.05,
    level: float = 0.9,
    alpha: float = 0.05,
    machines: options.Machines,
    seed: int = 0,
    job: Job,
) -> int:
    """Say how models would cope with shifts that have not happened yet, and which model to trust then.

    Each model is trained once, on half of the rows. The test rows (30% of the
    data) are shifted in many ways: rows are lost, at random or depending on a
    feature; a feature is removed, or a constant is added to it; class
    proportions are changed. The remaining 20% are validation rows. The model that
    is most accurate without a shift may not be the one that copes best.

    [dim]shiftproof stress customers.csv --target churned[/dim]
    [dim]shiftproof stress customers.csv --target churned --models lr,forest[/dim]
    [dim]  --families mar,offset --features age,income --out page.html[/dim]

    Parameters
    ----------
    families : NAMES
        The shifts, separated by commas: mcar (rows are lost at random), mar (rows with some values of a feature are
        lost), mnar (the same, but the models do not see that feature), offset (a feature's values are moved
        by a constant), prior (the class proportions change), soft (rows are dropped with a probability that depends on
        a feature), base (no shift; always included). Default: all except soft.
    tolerance : X
        The largest acceptable loss of accuracy.
    features : COLS
        The features to shift, separated by commas. Default: all, one at a time.
    """
    from shiftproof.cli._show import show_stress
    from shiftproof.robustness import stress as run

    wanted = options.split_names(features)
    with job.listening(), machines.working():
        chosen = choose_models(models, trust)
        X, y = file.read(job, exclude, {"--features": wanted})
        # Without the option the verb's own default applies.
        settings: dict[str, Any] = {} if families is None else {"families": options.split_names(families)}
        result = run(
            chosen.panel(X, y) if chosen.fitted else chosen.models,
            X,
            y,
            features=wanted,
            tolerance=tolerance,
            pos_label=known_label(file.positive, y.unique().tolist()),
            level=level,
            alpha=alpha,
            random_state=seed,
            **settings,
        )
    return job.end(result, show_stress)
