"""The state between two batches: a few named arrays that fit in one blob."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import fault
from shiftproof.monitoring.alarms._evidence import LEVELS, Level

_MAGIC = b"shiftproof alarms 1\n"


@dataclass(frozen=True, eq=False)
class State:
    """Everything that the next batch is compared with.

    Attributes
    ----------
    batches : mapping of level to int
        Batches since the level's evidence began or was acknowledged.
    arrays : mapping of str to array
        Pools, wealth of the experts, and what they learnt; read-only.
    """

    batches: Mapping[Level, int]
    arrays: Mapping[str, NDArray[Any]]

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the state as bytes; equal states have equal bytes."""
        header = {
            "batches": [self.batches[level] for level in LEVELS],
            "arrays": {name: [array.dtype.str[1:], array.shape] for name, array in sorted(self.arrays.items())},
        }
        parts = [self.arrays[name] for name in sorted(self.arrays)]
        little = [part.astype(part.dtype.newbyteorder("<")).tobytes() for part in parts]
        return b"".join([_MAGIC, json.dumps(header).encode(), b"\n", *little])

    @classmethod
    def from_bytes(cls, stored: bytes) -> State:
        """Read what `to_bytes` returned."""
        head, newline, body = stored.removeprefix(_MAGIC).partition(b"\n")
        if not stored.startswith(_MAGIC) or not newline:
            raise fault("stored", "be the bytes of a State", stored[:20], hint="another version wrote them")
        header = json.loads(head)
        arrays, position = {}, 0
        for name, (kind, shape) in header["arrays"].items():
            size = int(np.prod(shape))
            array = np.frombuffer(body, np.dtype("<" + kind), size, position).reshape(shape)
            arrays[name] = array.astype(array.dtype.newbyteorder("="))
            position += array.nbytes
        return cls(dict(zip(LEVELS, header["batches"], strict=True)), arrays)
