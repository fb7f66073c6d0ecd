"""A start that says something impossible names it, in the kernel's own errors, and writes nothing."""

from typing import Any

import pytest

from tenuto.model.errors import InvalidInput, TenutoError, TooLarge
from tests.support.database.starts import rows_written, start_many, start_run
from tests.support.database.tasks import Db

INT_OVERFLOW = 2**31

KINDS: list[tuple[Any, str]] = [
    ("app.work", "kinds"),
    ({"type": "app.work"}, "kinds"),
    (None, "kinds"),
    ([], "kind"),
    (["app.work"], "kind"),
    ([None], "kind"),
    ([{}], "type"),
    ([{"type": ""}], "type"),
    ([{"type": None}], "type"),
    ([{"type": "t" * 257}], "type"),
    ([{"type": "t", "colour": "red"}], "colour"),
    ([{"type": "t", "queue": ""}], "queue"),
    ([{"type": "t", "queue": "q" * 257}], "queue"),
    ([{"type": "t", "language": ""}], "language"),
    ([{"type": "t", "labels": "gpu"}], "gpu"),
    ([{"type": "t", "labels": [None]}], "label"),
    ([{"type": "t", "labels": ["gpu", ""]}], "label"),
    ([{"type": "t", "priority": "high"}], "high"),
    ([{"type": "t", "priority": INT_OVERFLOW}], str(INT_OVERFLOW)),
    ([{"type": "t", "priority": 1.5}], "1.5"),
    ([{"type": "t", "max_attempts": 0}], "max_attempts of t is 0"),
    ([{"type": "t", "max_attempts": -1}], "max_attempts of t is -1"),
    ([{"type": "t", "max_attempts": 101}], "max_attempts of t is 101"),
    ([{"type": "t", "max_attempts": "many"}], "many"),
    ([{"type": "t", "max_losses": 0}], "max_losses of t is 0"),
    ([{"type": "t", "max_losses": 1001}], "max_losses of t is 1001"),
    ([{"type": "t", "backoff_seconds": -1}], "backoff of t"),
    ([{"type": "t", "backoff_seconds": "NaN"}], "backoff of t"),
    ([{"type": "t", "backoff_seconds": "Infinity"}], "backoff of t"),
    ([{"type": "t", "timeout_seconds": 0}], "timeout"),
    ([{"type": "t", "timeout_seconds": -5}], "timeout"),
    ([{"type": "t", "timeout_seconds": "NaN"}], "timeout"),
    ([{"type": "t", "timeout_seconds": "Infinity"}], "timeout"),
    ([{"type": "t", "timeout_seconds": 1e30}], "years"),
    ([{"type": "t", "timeout_seconds": 1e300}], "t"),
    ([{"type": "t", "heartbeat_timeout_seconds": 0}], "timeout"),
    ([{"type": "t", "heartbeat_timeout_seconds": "NaN"}], "timeout"),
    ([{"type": "t", "heartbeat_timeout_seconds": []}], "kind"),
    ([{"type": "t", "optional": "maybe"}], "maybe"),
    ([{"type": "t", "handler": "skipped"}], "handler"),
]

DETAILS: list[tuple[Any, str]] = [
    ({"task": 0}, "details"),
    ("x", "details"),
    (None, "details"),
    ([None], "details"),
    ([0], "details"),
    ([{}], "task"),
    ([{"task": None}], "no such task"),
    ([{"task": 2}], "task 2"),
    ([{"task": -1}], "task -1"),
    ([{"task": 1.5}], "1.5"),
    ([{"task": "one"}], "one"),
    ([{"task": 0}, {"task": 0}], "task 0.*twice"),
    ([{"task": 0}, {"task": "0"}], "task 0.*twice"),
    ([{"task": 0, "prio": 3}], "prio"),
    ([{"task": 0, "priority": "high"}], "high"),
    ([{"task": 1, "delay_seconds": -1}], "task 1.*delay_seconds is -1"),
    ([{"task": 0, "delay_seconds": "NaN"}], "delay_seconds is NaN"),
    ([{"task": 0, "delay_seconds": "Infinity"}], "delay_seconds is Infinity"),
    ([{"task": 0, "delay_seconds": 1e18}], r"delay_seconds is 1e\+18"),
    ([{"task": 0, "delay_seconds": {}}], "details|double"),
    ([{"task": 0, "available_at": "infinity"}], "available_at is infinity"),
    ([{"task": 0, "available_at": "-infinity"}], "available_at is -infinity"),
    ([{"task": 0, "available_at": "tomorrowish"}], "tomorrowish"),
    ([{"task": 0, "available_at": "9999-01-01"}], "available_at is 9999"),
    ([{"task": 0, "name": "a\x00b"}], "Unicode"),
    ([{"task": 0, "name": ""}], "name of task 0 is missing or empty"),
    ([{"task": 1, "queue_job_id": "q" * 257}], "queue_job_id of task 1 has 257 bytes, more than 256"),
]


def starts(db: Db, **values: Any) -> list[TenutoError]:
    """The errors of both ways to start."""
    errors = []
    for start in (start_many, start_run):
        with pytest.raises(TenutoError) as raised:
            start(db, 2, **values)
        errors.append(raised.value)
    return errors


@pytest.mark.parametrize(("kinds", "named"), KINDS, ids=[str(kinds)[:60] for kinds, _ in KINDS])
def test_a_wrong_kind(db: Db, kinds: Any, named: str) -> None:
    for error in starts(db, kinds=kinds):
        assert isinstance(error, InvalidInput)
        assert named in str(error)

    assert rows_written(db) == {}


@pytest.mark.parametrize(("details", "named"), DETAILS, ids=[str(details)[:60] for details, _ in DETAILS])
def test_wrong_details(db: Db, details: Any, named: str) -> None:
    for start in (start_many, start_run):
        with pytest.raises(InvalidInput, match=named):
            start(db, 2, details=details)

    assert rows_written(db) == {}


@pytest.mark.parametrize(
    "values",
    [
        {"inputs": []},
        {"task_kinds": [0]},
        {"task_kinds": [0, 0, 0]},
        {"task_kinds": [0, 1]},
        {"task_kinds": [0, -1]},
        {"task_kinds": [0, None]},
        {"ids": ["00000000-0000-7000-8000-000000000009"]},
        {"ids": ["00000000-0000-7000-8000-000000000009", None]},
        {"ids": ["one", "two"]},
    ],
    ids=str,
)
def test_a_batch_that_does_not_fit_together(db: Db, values: dict[str, Any]) -> None:
    for error in starts(db, **values):
        assert isinstance(error, InvalidInput)

    assert rows_written(db) == {}


def test_names_too_long_for_an_index_and_metadata_too_large_for_a_row(db: Db) -> None:
    for values in (
        {"kinds": [{"type": "t", "labels": [f"label-{number}" * 10 for number in range(50)]}]},
        {"details": [{"task": 0, "metadata": "x" * 1_048_600}]},
    ):
        for error in starts(db, **values):
            assert isinstance(error, TooLarge), values

    assert rows_written(db) == {}


def test_json_too_deep_to_read(db: Db) -> None:
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    start_many(db, inputs=[deep])

    with pytest.raises((InvalidInput, TooLarge)):
        start_many(db, kinds=deep)


@pytest.mark.parametrize("handler", ["completed", "failed", "cancelled"])
def test_handlers_and_slots_need_a_run_of_their_own(db: Db, handler: str) -> None:
    with pytest.raises(InvalidInput, match="start_run"):
        start_many(db, kinds=[{"type": "t", "handler": handler}])
    for details in ({"slots": [{"value": 1}]}, {"outputs": ["int"]}):
        with pytest.raises(InvalidInput, match="start_run"):
            start_many(db, details=[{"task": 0, **details}])

    assert rows_written(db) == {}
