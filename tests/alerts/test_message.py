from __future__ import annotations

import json
from dataclasses import replace

from shiftproof.alerts import AlertMessage


def test_body_is_the_content_and_always_the_same(message: AlertMessage) -> None:
    assert json.loads(message.body) == message.content
    assert message.body == AlertMessage(json.loads(message.body)).body


def test_hostile_names_break_no_line_and_are_escaped(message: AlertMessage) -> None:
    hostile = "x\r\nBcc: all@example.org\x1b[31m <script>alert(1)</script>"
    made = replace(message, content={**message.content, "monitor": hostile, "details": [hostile], "next": [hostile]})
    assert "\n" not in made.subject
    assert "\r" not in made.subject
    assert "\x1b" not in made.text
    assert "\r" not in made.text
    assert "<script>" not in made.html
    assert "&lt;script&gt;" in made.html


def test_subject_is_short(message: AlertMessage) -> None:
    assert len(replace(message, content={**message.content, "monitor": "x" * 500}).subject) == 120


def test_without_a_next_step_nothing_is_said_of_it(message: AlertMessage) -> None:
    made = replace(message, content={**message.content, "next": []})
    assert "What to do next" in message.text
    assert "What to do next" not in made.text + made.html
