from __future__ import annotations

import socket

import pytest

from shiftproof.core import InputError
from shiftproof.web import ServeSettings
from shiftproof.web._serve import listening


def test_a_port_that_is_in_use_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError) as caught:
            listening(ServeSettings(store="m.db", port=port))
    assert str(caught.value) == (
        f"port {port} is in use; stop the other program, or pass another port (0 picks any free port)."
    )


def test_any_free_port_can_be_had() -> None:
    with listening(ServeSettings(store="m.db", port=0)) as listener:
        assert listener.getsockname()[1] > 0


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_others_is_refused(host: str) -> None:
    with pytest.raises(InputError, match=r"host '.*' is n.* this machine; 127.0.0.1 is the default"):
        listening(ServeSettings(store="m.db", host=host, port=0, token="x" * 20))
