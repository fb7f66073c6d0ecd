"""Names, keys and reasons have a length that a person reads and an index holds; one byte more is refused."""

from collections.abc import Callable

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.database.starts import start_many, start_run
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.value_bounds import Scene, a_scene, everything

Give = Callable[[Scene, str], object]
FOUR_BYTES = "\U0002070e"  # one character that takes four bytes and does not compress with others


def of_the_org(function: str, name: str, **more: object) -> Give:
    return lambda scene, text: call(scene.db, function, org_id=DEFAULT_ORG, **more, **{name: text})


def of_the_run(function: str, name: str, **more: object) -> Give:
    return lambda scene, text: call(scene.db, function, org_id=DEFAULT_ORG, run_id=scene.run_id, **more, **{name: text})


def of_the_attempt(function: str, name: str, **more: object) -> Give:
    return lambda scene, text: call(scene.db, function, **scene.fence, **more, **{name: text})


def kind(**named: str) -> Give:
    (name,) = named
    return lambda scene, text: start_many(scene.db, kinds=[{"type": "t", name: text}])


def tags(scene: Scene, text: str) -> None:
    call(scene.db, "put_run_data", org_id=DEFAULT_ORG, run_id=scene.run_id, values=Jsonb({"k": 1}), tags=[text])


def edited_tags(scene: Scene, text: str) -> None:
    with scene.db.transaction():
        (datum,) = call(scene.db, "put_run_data", org_id=DEFAULT_ORG, run_id=scene.run_id, values=Jsonb({"k": 1}))
        call(scene.db, "edit_run_data_tags", org_id=DEFAULT_ORG, data_id=datum, add=[text])


def address_of_an_object(scene: Scene, text: str) -> None:
    thing = call(scene.db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    try:
        call(scene.db, "place_object", org_id=DEFAULT_ORG, object_id=thing, addresses=[text])
    except InvalidInput:
        scene.db.execute("delete from tenuto.data_objects")
        raise


def served(queues: bool) -> Give:
    def resolve(scene: Scene, text: str) -> None:
        names = {"queues": [text], "types": ["t"]} if queues else {"queues": ["q"], "types": [text]}
        call(scene.db, "resolve_routes", session_id=scene.worker.session_id, **names)

    return resolve


def slot_type(scene: Scene, text: str) -> None:
    start_run(scene.db, details=[{"task": 0, "slots": [{"type": text, "value": 1}]}])


NAMES: dict[str, tuple[Give, int]] = {
    "the name of the org": (lambda scene, text: call(scene.db, "create_org", slug="new", name=text), 256),
    "the external id of a resource group": (of_the_org("set_resource_group", "external_id"), 256),
    "a worker id": (of_the_org("register_worker", "worker_id"), 256),
    "the instance type of worker w2": (of_the_org("register_worker", "instance_type", worker_id="w2"), 256),
    "the instance type of worker w3": (of_the_org("expect_worker", "instance_type", worker_id="w3"), 256),
    "the instance type of worker w4": (of_the_org("beat_worker", "instance_type", worker_id="w4"), 256),
    "the address of a worker": (of_the_org("register_worker", "address", worker_id="w"), 256),
    "the reason of a drain": (of_the_org("drain_worker", "reason", worker_id="w"), 1024),
    "the type of a kind": (kind(type=""), 256),
    "the queue of t": (kind(queue=""), 256),
    "the language of t": (kind(language=""), 256),
    "the name of task 0": (lambda scene, text: start_many(scene.db, details=[{"task": 0, "name": text}]), 256),
    "queue_job_id of task 0": (
        lambda scene, text: start_many(scene.db, details=[{"task": 0, "queue_job_id": text}]),
        256,
    ),
    "the dedupe key of task 0": (lambda scene, text: start_many(scene.db, dedupe_keys=[text]), 1024),
    "the dedupe key of the run": (lambda scene, text: start_run(scene.db, run={"dedupe_key": text}), 1024),
    "the name of the run": (lambda scene, text: start_run(scene.db, run={"name": text}), 256),
    "the type of input 0 of task": (slot_type, 256),
    "the type of an output of the run": (
        lambda scene, text: start_run(scene.db, run={"outputs": [{"task": 0, "type": text}]}),
        256,
    ),
    "the name of a queue": (of_the_org("pause_queue", "queue", new=True), 256),
    "one of the queues of a worker": (served(queues=True), 256),
    "one of the types of a worker": (served(queues=False), 256),
    "the reason of a cancel": (of_the_run("cancel_run", "reason"), 1024),
    "the name of a signal": (of_the_run("send_signal", "name"), 256),
    "the name of a step": (of_the_attempt("record_step", "name", step_no=1, kind="step", value=Jsonb(1)), 256),
    "the job key of operator state": (
        of_the_attempt("put_state", "job_key", key="k", value=Jsonb(1), version=0),
        256,
    ),
    "the key of operator state": (of_the_attempt("put_state", "key", job_key="j", value=Jsonb(1), version=0), 1024),
    "the type of a data object": (of_the_org("put_object", "type", payload=b"x"), 256),
    "the uri of a data object": (of_the_org("put_object", "uri", type="blob"), 2048),
    "the checksum of a data object": (of_the_org("put_object", "checksum", type="blob", payload=b"x"), 256),
}
LISTS: dict[str, tuple[Give, int]] = {
    "the labels of a worker": (
        lambda scene, text: call(
            scene.db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", labels=text.split(",")
        ),
        256,
    ),
    "the languages of a worker": (
        lambda scene, text: call(
            scene.db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", languages=text.split(",")
        ),
        256,
    ),
    "the labels of t": (
        lambda scene, text: start_many(scene.db, kinds=[{"type": "t", "labels": text.split(",")}]),
        256,
    ),
    "the tags of run data": (
        lambda scene, text: call(
            scene.db,
            "put_run_data",
            org_id=DEFAULT_ORG,
            run_id=scene.run_id,
            values=Jsonb({"k": 1}),
            tags=text.split(","),
        ),
        256,
    ),
    "the queues of a worker": (
        lambda scene, text: call(
            scene.db, "resolve_routes", session_id=scene.worker.session_id, queues=text.split(",")
        ),
        1000,
    ),
}
ONE_OF: dict[str, Give] = {
    "one of the tags of run data": tags,
    "one of the tags of run data, edited": edited_tags,
    "one of the addresses of a data object": address_of_an_object,
}


@pytest.mark.parametrize(("what", "give", "most"), [(k, *v) for k, v in NAMES.items()], ids=NAMES)
def test_a_name_has_at_most_so_many_bytes(db: Db, what: str, give: Give, most: int) -> None:
    scene = a_scene(db)
    before = everything(db)

    with pytest.raises(InvalidInput, match=rf"{what}.* has {most + 1} bytes, more than {most}: 'nnn"):
        give(scene, "n" * (most + 1))
    with pytest.raises(InvalidInput, match=rf"{what}.* has {most + 4} bytes, more than {most}: '{FOUR_BYTES}"):
        give(scene, FOUR_BYTES * (most // 4 + 1))

    assert everything(db) == before
    give(scene, FOUR_BYTES * (most // 4))


@pytest.mark.parametrize(("what", "give"), ONE_OF.items(), ids=ONE_OF)
def test_a_name_in_a_list_has_at_most_256_bytes(db: Db, what: str, give: Give) -> None:
    scene = a_scene(db)
    before = everything(db)

    long = (FOUR_BYTES * 65, "has 260 bytes, more than 256")
    for wrong, said in (("n" * 257, "has 257 bytes, more than 256"), long, ("", "is missing or empty")):
        with pytest.raises(InvalidInput, match=rf"{what.split(',')[0]} {said}"):
            give(scene, wrong)
        assert everything(db) == before

    give(scene, FOUR_BYTES * 64)


@pytest.mark.parametrize(("what", "give", "most"), [(k, *v) for k, v in LISTS.items()], ids=LISTS)
def test_a_list_has_at_most_so_many_names(db: Db, what: str, give: Give, most: int) -> None:
    scene = a_scene(db)
    before = everything(db)

    with pytest.raises(InvalidInput, match=rf"{what} are too many: {most + 1}, more than {most}"):
        give(scene, ",".join(f"n{number}" for number in range(most + 1)))

    assert everything(db) == before
    give(scene, ",".join(f"n{number}" for number in range(most)))


def test_a_worker_does_not_make_more_routes_than_anybody_serves(db: Db) -> None:
    scene = a_scene(db)
    before = everything(db)
    names = [f"n{number}" for number in range(101)]

    with pytest.raises(InvalidInput, match="101 queues with 100 types make more than 10,000 routes"):
        call(db, "resolve_routes", session_id=scene.worker.session_id, queues=names, types=names[:100])

    assert everything(db) == before


def test_a_reason_may_be_left_empty(db: Db) -> None:
    scene = a_scene(db)

    call(db, "drain_worker", org_id=DEFAULT_ORG, worker_id="w", reason="")
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=scene.run_id, reason="")
