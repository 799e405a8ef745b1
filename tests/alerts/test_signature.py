from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest

from shiftproof.alerts._signature import signature, verify
from shiftproof.core import InputError

SECRET = "hunter2"  # noqa: S105
BODY = b'{"event":"opened"}'


def signed(*, secret: str = SECRET, sent: int | None = None, body: bytes = BODY) -> dict[str, str]:
    now = int(time.time()) if sent is None else sent
    return {
        "Webhook-Id": "7f",
        "Webhook-Timestamp": str(now),
        "Webhook-Signature": signature(secret, "7f", now, body),
    }


def test_signature_is_that_of_the_specification() -> None:
    key = base64.b64encode(b"0123456789abcdef01234567").decode()
    by_hand = hmac.new(b"0123456789abcdef01234567", b"7f.1700000000." + BODY, hashlib.sha256).digest()
    assert signature(f"whsec_{key}", "7f", 1700000000, BODY) == f"v1,{base64.b64encode(by_hand).decode()}"
    # A text that only looks like one of the specification is a secret as it is.
    assert signature("whsec_%", "7f", 1, BODY) != signature("whsec_&", "7f", 1, BODY)


def test_verify_returns_the_content() -> None:
    assert verify(signed(), BODY, SECRET) == json.loads(BODY)


def test_one_of_several_signatures_is_enough() -> None:
    headers = signed()
    headers["Webhook-Signature"] = f"v1,AAAA {headers['Webhook-Signature']} v2,BBBB"
    assert verify(headers, BODY, SECRET) == json.loads(BODY)


@pytest.mark.parametrize("wrong", ["another secret", "another body", "another id", "garbage"])
def test_wrong_signature_is_refused(wrong: str) -> None:
    headers, body = signed(secret="hunter3" if wrong == "another secret" else SECRET), BODY
    if wrong == "another body":
        body += b" "
    if wrong == "another id":
        headers["Webhook-Id"] = "8f"
    if wrong == "garbage":
        headers["Webhook-Signature"] = "v1,é"
    with pytest.raises(InputError, match=r"^the signature of the webhook is wrong; check that both sides have"):
        verify(headers, body, SECRET)


@pytest.mark.parametrize("seconds", [-1000, 1000])
def test_old_message_is_refused(seconds: int) -> None:
    sent = int(time.time()) + seconds
    with pytest.raises(InputError, match=r"^the time of the webhook differs from this clock by more than 300 seconds"):
        verify(signed(sent=sent), BODY, SECRET)
    assert verify(signed(sent=sent), BODY, SECRET, tolerance=2000)


@pytest.mark.parametrize("sent", ["", "1e9", "-1", "²"])
def test_time_that_is_no_number_is_refused(sent: str) -> None:
    with pytest.raises(InputError, match=r"^the time of the webhook differs"):
        verify({**signed(), "Webhook-Timestamp": sent}, BODY, SECRET)


@pytest.mark.parametrize("name", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_missing_header_is_named(name: str) -> None:
    headers = {other: value for other, value in signed().items() if other != name}
    with pytest.raises(InputError) as caught:
        verify(headers, BODY, SECRET)
    assert str(caught.value) == f"the webhook has no header {name.lower()}; pass all headers of the request."
