"""Keep replayed periods in a folder, so that a backtest that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from shiftproof._version import __version__
from shiftproof.backtesting._replay import LabelledPast, Replayed
from shiftproof.core import Failure, InputError, Phrase, Rows, fault


@dataclass(frozen=True)
class Kept:
    """A folder with one file per period.

    Parameters
    ----------
    folder : Path
        Where the files are.
    run : str
        A hash of rows, models and options; files of another run are left alone.
    """

    folder: Path
    run: str

    def read(self, before: Rows, rows: Rows, later: Sequence[Rows]) -> Replayed | None:
        """Return what was kept of a period; None if it has to be replayed."""
        try:
            return Replayed(**json.loads(self._path(before, rows, later).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None  # no such file, or one that was not written by this version

    def write(self, replayed: Replayed, before: Rows, rows: Rows, later: Sequence[Rows]) -> None:
        """Write a period, whole or not at all; one that failed is tried again next time."""
        if replayed.failure:
            return
        values = asdict(replayed)
        # Warnings and errors are for the user who waits, not for the next run.
        del values["caught"], values["error"]
        # Under a name of its own: two runs may keep the same period at the same time.
        handle, part = tempfile.mkstemp(dir=self.folder, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(values, file)
        Path(part).replace(self._path(before, rows, later))

    def _path(self, before: Rows, rows: Rows, later: Sequence[Rows]) -> Path:
        digest = hashlib.blake2b(self.run.encode(), digest_size=8)
        for part in (before, rows, *later):
            digest.update(np.int64(len(part)).tobytes() + part.astype(np.int64).tobytes())
        return self.folder / f"period-{digest.hexdigest()}.json"


def kept_in(folder: str | Path | None, past: LabelledPast) -> Kept | None:
    """Return the folder to keep periods in, made if needed; None if nothing is kept."""
    if folder is None:
        return None
    try:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError("it is not writable")
    except (TypeError, OSError) as error:
        got = Phrase(f"{folder} ({Failure.of(error)})")
        raise fault("keep", "be a folder that can be written to", got, "choose another") from None
    return Kept(path, _fingerprint(past))


def _fingerprint(past: LabelledPast) -> str:
    """Hash rows, models and options, and the versions that may change what is computed from them."""
    import joblib
    import sklearn

    from shiftproof.panel import as_features, fingerprint_features

    tables = [None if table is None else fingerprint_features(as_features(table)) for table in (past.X, past.table)]
    scored = None if past.scored is None else (past.scored.fingerprint, dict(past.scored.out_of_fold))
    settings = (
        past.models,
        past.cv,
        past.classes.tolist(),
        past.codes,
        past.options,
        past.first,
        past.measures,
        past.level,
        dict(past.along_rows),
        sorted(past.hidden | set(map(str, past.exclude or ()))),
        past.seed,
        scored,
        tables,
    )
    try:
        return f"{__version__} {sklearn.__version__} {joblib.hash(settings)}"
    except Exception as error:  # pickling runs the user's code
        raise InputError("keep needs models that can be pickled: ", Failure.of(error).phrase) from error
