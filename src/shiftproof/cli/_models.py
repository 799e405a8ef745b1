"""The models that --models names: those of the package, files of skops, and estimators of the user's own modules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from shiftproof.cli._completion import complete_models
from shiftproof.cli._options import split_names
from shiftproof.core import (
    Failure,
    FileError,
    InputError,
    Phrase,
    ShiftproofWarning,
    available_names,
    fault,
    is_address,
    listed,
    shown,
    similar,
    warn,
)

if TYPE_CHECKING:
    from shiftproof.panel import Panel

_PICKLES = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle")
# Safe to load, as they hold only numbers, text and scikit-learn objects: what models of the package are made of, and
# parts of estimators that skops does not know.
_SAFE = (
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
    "shiftproof.panel._bayes.MixedNaiveBayes",
    "shiftproof.panel._laplace.LaplaceTree",
    "shiftproof.panel._tables.TablePreparer",
    "shiftproof.panel._tables._Nominal",
)


class FittedModelsUsed(ShiftproofWarning):
    """Models were fitted before and are used as they are."""

    def __init__(self, models: Iterable[str]) -> None:
        self.models = tuple(models)
        used = (
            "is already fitted and is used as is" if len(self.models) == 1 else "are already fitted and are used as is"
        )
        super().__init__(f"{listed(self.models)} {used}: the labelled data must not contain training rows.")


class CodeExecuted(ShiftproofWarning):
    """The command line ran code of the user."""

    def __init__(self, item: str, file: str) -> None:
        self.item, self.file = item, file
        super().__init__(f"--models {item} ran the code of {file}.")


@dataclass(frozen=True, eq=False)
class Chosen:
    """Models by name, and whether they are fitted."""

    models: dict[str, Any]
    fitted: bool = False

    def panel(
        self, X: object, y: object, *, folds: int | None = None, groups: str | None = None, random_state: int = 0
    ) -> Panel:
        """Cross-fit the models, or score by them as they are."""
        from shiftproof.panel import cross_fit

        self.refuse({"--folds": folds, "--groups": groups})
        return cross_fit(self.models, X, y, cv=self.cv(folds), groups=groups, random_state=random_state)

    def cv(self, folds: int | None) -> int | str | None:
        """Return what the verbs take as `cv`; None leaves their default."""
        return "prefit" if self.fitted else folds

    def refuse(self, options: Mapping[str, object]) -> None:
        """Refuse options that say how to fit, if the models are fitted."""
        if self.fitted:
            refuse_fitting(options, "fitted models")


def refuse_fitting(options: Mapping[str, object], given: str) -> None:
    """Refuse options that say how to fit."""
    for option, value in options.items():
        if value is not None:
            raise InputError(
                f"{option} cannot be used with {given}, because then no model is fitted; leave out {option}"
            )


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """Options: models, or columns with their scores."""

    models: Annotated[str | None, complete_models] = None
    trust: list[str] | None = None
    score_column: list[str] | None = None

    def choose(self, fitting: Mapping[str, object]) -> Chosen:
        """Return the models, none if there are only scores; refuse options about fitting if nothing is fitted."""
        if self.score_column:
            refuse_fitting({"--models": self.models, "--trust": self.trust or None, **fitting}, "--score-column")
            return Chosen({})  # the panel is made of the scores
        chosen = choose_models(self.models, self.trust)
        chosen.refuse(fitting)
        return chosen


def choose_models(joined: str | None, trust: Sequence[str] | None = None) -> Chosen:
    """Return the models that --models names; by default all seven of the package.

    Parameters
    ----------
    joined : str, optional
        Names joined by commas: of models of the package, of ``.skops`` files, or ``module:attribute``.
    trust : sequence of str, optional
        Types that may be loaded from such files, besides those that skops knows to be safe.

    Returns
    -------
    Chosen
        The models; all of them are fitted, or none is.

    Raises
    ------
    InputError
        If there is no such model, a file holds types that are not trusted, or only some models are fitted.

    Warns
    -----
    ShiftproofWarning
        If the user's code ran, or models are fitted.

    Examples
    --------
    >>> choose_models("nb,lr").models.keys()
    dict_keys(['nb', 'lr'])
    >>> choose_models("model.pkl")
    Traceback (most recent call last):
    ...
    shiftproof.core._errors.InputError: --models must not name a pickle, got 'model.pkl', which can run any code when
    it is loaded; save the model with skops.io.dump(model, 'model.skops') and name that file.
    """
    from shiftproof.panel import default_models, is_fitted

    # Of an address that is cut at a comma or a colon, nobody can say which part is a password.
    if joined is not None and is_address(joined):
        raise fault("--models", "name models, .skops files or module:attribute", joined, "download the file first")
    items = split_names(joined)
    if trust and not any(item.lower().endswith(".skops") for item in items or ()):
        raise InputError("--trust is for .skops files, and --models names none; leave out --trust")
    if items is None:
        return Chosen(default_models())
    if "" in items:
        raise InputError(f"--models {shown(joined)} has a comma too many; write names such as lr,nb")
    models: dict[str, Any] = {}
    for item in items:
        for name, model in _models_of(item, trust or ()).items():
            if name in models:
                raise fault(
                    "--models", "name every model only once", Phrase(f"{name!r} twice"), "leave one of them out"
                )
            models[name] = model
    fitted = {name: is_fitted(model) for name, model in models.items()}
    if len(set(fitted.values())) > 1:
        done, open_ = (next(name for name in fitted if fitted[name] is state) for state in (True, False))
        hint = "run the command once for each group"
        raise fault("--models", "all be fitted, or all be unfitted", Phrase(f"{done!r} fitted and {open_!r} not"), hint)
    if all(fitted.values()):
        warn(FittedModelsUsed(fitted))
    return Chosen(models, fitted=all(fitted.values()))


def _models_of(item: str, trust: Sequence[str]) -> dict[str, Any]:
    from shiftproof.panel import default_models

    ending = Path(item).suffix.lower()
    if ending in _PICKLES:
        way_out = f"save the model with skops.io.dump(model, {Path(item).stem + '.skops'!r}) and name that file"
        what = f"got {item!r}, which can run any code when it is loaded"
        raise fault("--models", f"not name a pickle, {what}", hint=way_out)
    if ending == ".skops":
        return _named(_from_file(Path(item), trust), Path(item).stem, item)
    if ":" in item:
        loaded, module = _from_module(item)
        warn(CodeExecuted(item, getattr(module, "__file__", None) or module.__name__))
        return _named(loaded, item.rpartition(":")[2].rpartition(".")[2], item)
    try:
        return dict(default_models(only=[item]))
    except InputError as error:
        rule = Phrase(error.rule or "", ", a .skops file or module:attribute")
        raise InputError(argument="--models", rule=rule, got=item, near=error.near) from None


def _from_file(path: Path, trust: Sequence[str]) -> Any:
    """Load what skops saved, if all its types are trusted."""
    try:
        from skops import io  # type: ignore[import-untyped]
    except ImportError:
        hint = "run pip install '.[skops]' in a checkout of shiftproof"
        raise InputError(f"--models needs skops to load {str(path)!r}, got none installed; {hint}") from None
    if not path.is_file():
        raise FileError(path, "there is no such file; check the path")
    _import_from_here()
    try:
        unknown = [name for name in io.get_untrusted_types(file=path) if name not in (*_SAFE, *trust)]
        if not unknown:
            return io.load(path, trusted=[*_SAFE, *trust])
    except Exception as error:
        hint = "save the model again with skops.io.dump, using the versions installed here"
        raise FileError(path, "cannot be loaded (", Failure.of(error).phrase, f"); {hint}") from None
    hint = f"if you trust its source, add {' '.join(f'--trust {name}' for name in unknown)}"
    raise fault("--models", "contain only trusted types", Phrase(f"{listed(unknown)} in {path.name}"), hint)


def _from_module(item: str) -> tuple[Any, ModuleType]:
    """Import an attribute; call it if it is a function or a class."""
    place, _, attribute = item.rpartition(":")
    if "/" in place or "\\" in place or place.endswith(".py"):
        module_name = Path(place).stem
        hint = f"write {module_name}:{attribute}, in the folder of the file"
        raise fault("--models", "name a module as Python imports it", item, hint)
    _import_from_here()
    try:
        module = importlib.import_module(place)
        loaded: Any = module
        for part in attribute.split("."):
            if not hasattr(loaded, part):
                raise _lacks(part, loaded, item)
            loaded = getattr(loaded, part)
        makes_models = isinstance(loaded, type) or (callable(loaded) and not _is_model(loaded))
        return (loaded() if makes_models else loaded), module
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        # Not so if the module exists, but something that it imports does not.
        if isinstance(error, ModuleNotFoundError) and f"{place}.".startswith(f"{error.name}."):
            hint = "run this where the module is, or install it"
            raise fault("--models", "name a module that exists", item, hint) from None
        raise InputError(f"cannot import --models {item}: ", Failure.of(error).phrase) from None


def _lacks(attribute: str, owner: object, item: str) -> InputError:
    """Make the error for an attribute that a module or a class does not have."""
    public = [name for name in dir(owner) if not name.startswith("_")]
    near = similar(attribute, public)
    hint = "" if near or not public else f"; {available_names(public)}"
    kind, called = ("module", owner.__name__) if isinstance(owner, ModuleType) else ("", shown(owner))
    what = f"{kind} {called!r}" if kind else called
    return InputError(f"--models {item}: {what} has no attribute {attribute!r}{hint}", argument="--models", near=near)


def _import_from_here() -> None:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last, as a file here must not replace an installed module


def _named(loaded: object, name: str, item: str) -> dict[str, Any]:
    """Name every model by its key, its class, or the file or attribute."""
    from shiftproof.panel import named_by_class

    if isinstance(loaded, Mapping):
        models = {str(key): model for key, model in loaded.items()}
    elif isinstance(loaded, (list, tuple)):
        models = named_by_class(loaded)
    else:
        models = {name: loaded}
    for model in models.values():
        if isinstance(model, type) or not _is_model(model):
            hint = "give scikit-learn estimators, or a dict or list of them, or name scores with --score-column"
            got = "a module" if isinstance(model, ModuleType) else shown(model)
            raise fault("--models", "give classifiers", Phrase(f"{got} from {item!r}"), hint)
    if not models:
        raise fault("--models", "give at least one classifier", Phrase(f"none from {item!r}"), "return one from it")
    return models


def _is_model(thing: object) -> bool:
    return any(hasattr(thing, name) for name in ("fit", "predict_proba", "decision_function"))
