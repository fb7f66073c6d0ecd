"""A failure can always be reported: of an error that is too large the head is kept, and what was cut is said."""

from typing import Any

import pytest

from tenuto.db.connection.call import json_array
from tests.support.database.tasks import Db, a_worker, call, start, task
from tests.support.database.value_bounds import MEGABYTE, a_scene, json_of


def fail(db: Db, *errors: Any) -> list[Any]:
    """The errors that a task each is left with."""
    tasks = start(db, *range(len(errors)), kind={"max_attempts": 1})
    worker = a_worker(db)
    assert len(worker.claim(len(errors))) == len(errors)
    rows = call(db, "fail_tasks", **worker.fence, task_ids=tasks, attempts=[1] * len(errors), errors=json_array(errors))
    assert {row["result"] for row in rows} == {"accepted"}
    return [task(db, task_id)["error"] for task_id in tasks]


def test_an_error_of_a_megabyte_is_kept_as_it_is(db: Db) -> None:
    whole = json_of(db, MEGABYTE, lambda text: {"message": "boom", "traceback": text})

    assert fail(db, whole) == [whole]


def test_of_a_larger_one_the_heads_of_its_texts_are_kept(db: Db) -> None:
    error = {"type": "ValueError", "message": "m" * 2_000_000, "rows": [["cell"] * 100] * 1000, "code": 7}

    (cut,) = fail(db, error)

    assert (cut["type"], cut["code"]) == ("ValueError", 7)
    assert cut["message"] == "m" * 8192 + "… (1991808 more characters were cut)"
    assert cut["rows"].startswith('[["cell", "cell"')
    assert cut["rows"].endswith("more characters were cut)")


@pytest.mark.parametrize(
    "error",
    ["boom " * 300_000, ["boom"] * 300_000, {f"key {number}": "x" * 100 for number in range(20_000)}],
    ids=["a text", "a list", "an object of many keys"],
)
def test_an_error_of_another_shape_becomes_a_message(db: Db, error: Any) -> None:
    (cut,) = fail(db, error)

    assert list(cut) == ["message"]
    assert cut["message"].endswith("more characters were cut)")
    assert len(cut["message"]) < 8300


def test_long_keys_of_an_error_are_cut_too(db: Db) -> None:
    (cut,) = fail(db, {"k" * 2_000_000: 1, "message": "boom"})

    assert cut == {"k" * 256: 1, "message": "boom"}


def test_a_large_error_does_not_change_its_neighbours_nor_their_order(db: Db) -> None:
    errors = [{"message": "first"}, {"message": "x" * 2_000_000}, {"message": "last"}, None]

    kept = fail(db, *errors)

    assert (kept[0], kept[2], kept[3]) == (errors[0], errors[2], None)
    assert len(kept[1]["message"]) < 8300


def test_a_worker_that_fails_with_a_long_story_fails(db: Db) -> None:
    scene = a_scene(db)

    call(db, "fail_worker", org_id=scene.worker.org_id, worker_id="w", error="e" * 10_000)

    (error,) = db.execute("select error from tenuto.workers").fetchone() or ("",)
    assert error == "e" * 4096 + "… (5904 more characters were cut)"
