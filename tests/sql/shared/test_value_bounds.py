"""A value has at most 1 MB, whichever function takes it: one byte more is refused by name, and nothing is written."""

from collections.abc import Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import TooLarge
from tests.support.database.starts import start_many, start_run
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.value_bounds import MEGABYTE, Scene, a_scene, everything, json_of

Give = Callable[[Scene, Any], object]


def asked(function: str, value: str, **more: object) -> Give:
    """A call on behalf of the org, with the value under this name."""
    return lambda scene, given: call(scene.db, function, org_id=DEFAULT_ORG, **more, **{value: Jsonb(given)})


def signal(scene: Scene, value: Any) -> None:
    call(scene.db, "send_signal", org_id=DEFAULT_ORG, run_id=scene.run_id, name="go", value=Jsonb(value))


def run_data(scene: Scene, value: Any) -> None:
    call(scene.db, "put_run_data", org_id=DEFAULT_ORG, run_id=scene.run_id, values=Jsonb({"k": value}))


def effect(scene: Scene, payload: Any) -> None:
    effect = {"task_id": str(scene.claim.task_id), "kind": "deliver", "payload": payload}
    assert scene.worker.complete(scene.claim, effects=[effect]) == ["accepted"]


def fenced(function: str, **more: object) -> Give:
    return lambda scene, value: call(scene.db, function, **scene.fence, **more, value=Jsonb(value))


VALUES: dict[str, Give] = {
    "the value of signal go": signal,
    "run data k": run_data,
    "the payload of a deliver effect": effect,
    "the value of cursor": fenced("put_state", job_key="job", key="cursor", version=0),
    "the value of step one": fenced("record_step", step_no=1, name="one", kind="step"),
    "the metadata of a data object": asked("put_object", "metadata", type="blob", payload=b"x"),
    "the input of task 0": lambda scene, value: start_many(scene.db, inputs=[value]),
    "the metadata of task 0": lambda scene, value: start_many(scene.db, details=[{"task": 0, "metadata": value}]),
    "the input of the run": lambda scene, value: start_run(scene.db, run={"input": value}),
    "the metadata of the run": lambda scene, value: start_run(scene.db, run={"metadata": value}),
}
OBJECTS: dict[str, Give] = {
    "the metadata of worker new": asked("register_worker", "metadata", worker_id="new"),
    "the metadata of worker expected": asked("expect_worker", "metadata", worker_id="expected", instance_type="gpu"),
    "the metadata of worker outside": asked("beat_worker", "metrics", worker_id="outside"),
    "the metrics of a heartbeat": lambda scene, value: scene.worker.beat(scene.claim, metrics=value),
}
LISTS: dict[str, tuple[Give, Callable[[str], Any]]] = {
    "the list of slots of task 0": (
        lambda scene, slots: start_run(scene.db, details=[{"task": 0, "slots": slots}]),
        lambda text: [{"value": text}],
    ),
}


def refused(scene: Scene, what: str, give: Give, wrap: Callable[[str], Any] = str) -> None:
    before = everything(scene.db)

    with pytest.raises(TooLarge, match=rf"{what} has 1048577 bytes, more than 1 MB \(1048576\)"):
        give(scene, json_of(scene.db, MEGABYTE + 1, wrap))

    assert everything(scene.db) == before
    give(scene, json_of(scene.db, MEGABYTE, wrap))
    assert everything(scene.db) != before


@pytest.mark.parametrize(("what", "give"), VALUES.items(), ids=VALUES)
def test_a_value_has_at_most_a_megabyte(db: Db, what: str, give: Give) -> None:
    refused(a_scene(db), what, give)


@pytest.mark.parametrize(("what", "give"), OBJECTS.items(), ids=OBJECTS)
def test_what_a_worker_says_of_itself_has_at_most_a_megabyte(db: Db, what: str, give: Give) -> None:
    refused(a_scene(db), what, give, lambda text: {"gpu": text})


@pytest.mark.parametrize(("what", "give"), LISTS.items(), ids=LISTS)
def test_the_slots_of_a_task_have_at_most_a_megabyte_together(
    db: Db, what: str, give: tuple[Give, Callable[[str], Any]]
) -> None:
    refused(a_scene(db), what, *give)


def test_the_oldest_words_of_a_worker_go_when_they_and_the_new_ones_are_too_many(db: Db) -> None:
    scene = a_scene(db)
    scene.worker.beat(scene.claim, metrics={"old": "x" * 600_000, "load": 1})
    scene.worker.beat(scene.claim, metrics={"load": 2})
    held = db.execute("select metadata ? 'old', metadata -> 'load' from tenuto.workers").fetchone()

    scene.worker.beat(scene.claim, metrics={"new": "y" * 600_000})

    assert held == (True, 2)
    assert db.execute("select metadata ? 'old', metadata ? 'new' from tenuto.workers").fetchone() == (False, True)


def test_effects_of_one_report_have_a_megabyte_each(db: Db) -> None:
    scene = a_scene(db)
    payload = json_of(db, MEGABYTE)
    effects = [{"task_id": str(scene.claim.task_id), "kind": "deliver", "payload": payload} for _ in range(3)]

    assert scene.worker.complete(scene.claim, effects=effects) == ["accepted"]

    assert db.execute("select count(*) from tenuto.outbox").fetchone() == (3,)
