"""Stored errors as sentences."""

import pytest

from tenuto.model.json import Json
from tenuto.model.stored_errors import describe_cancel, describe_error


@pytest.mark.parametrize(
    ("error", "text", "cancel"),
    [
        (None, None, None),
        ({}, None, None),
        ({"type": "ValueError", "message": "no"}, "ValueError: no", "no"),
        ({"reason": "worker_lost", "worker": "vm:1", "session": "expired"}, "its worker vm:1 was lost", "worker_lost"),
        ({"reason": "attempt_lost", "message": "exit 3"}, "the attempt was lost: exit 3", "attempt_lost"),
        ({"reason": "timeout"}, "its timeout passed", "timeout"),
        ({"reason": "heartbeat_timeout"}, "it sent no heartbeat for too long", "heartbeat_timeout"),
        ({"reason": "cancelled"}, "cancelled", None),
        ({"reason": "customer left"}, "cancelled: customer left", "customer left"),
        (
            {"type": "Cancelled", "message": "it was cancelled", "cancel_reason": "test"},
            "Cancelled: it was cancelled (test)",
            "test",
        ),
        (
            {"reason": "worker_lost", "worker": "vm:1", "cancel_reason": "test"},
            "its worker vm:1 was lost (test)",
            "test",
        ),
    ],
)
def test_an_error_is_a_sentence(error: Json, text: str | None, cancel: str | None) -> None:
    assert (describe_error(error), describe_cancel(error)) == (text, cancel)
