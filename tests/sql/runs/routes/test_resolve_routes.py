"""Which routes a worker serves."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, start, start_one


def served(worker: Worker, **asked: Any) -> set[tuple[str, str]]:
    rows = call(worker.db, "resolve_routes", session_id=worker.session_id, **asked)
    return {(row["queue"], row["type"]) for row in rows}


def started(db: Db, *kinds: dict[str, Any], org_id: object = DEFAULT_ORG) -> None:
    for kind in kinds:
        start_one(db, kind=kind, org_id=org_id)


def test_a_worker_that_names_nothing_serves_every_queue_and_type(db: Db) -> None:
    started(db, {"type": "a"}, {"type": "b", "queue": "mail"})

    assert served(a_worker(db)) == {("default", "a"), ("mail", "b")}


def test_a_worker_serves_the_queues_and_types_it_names(db: Db) -> None:
    started(db, {"type": "a"}, {"type": "b"}, {"type": "a", "queue": "mail"}, {"type": "c", "queue": "mail"})
    worker = a_worker(db)

    assert served(worker, queues=["mail"]) == {("mail", "a"), ("mail", "c")}
    assert served(worker, types=["a"]) == {("default", "a"), ("mail", "a")}
    assert served(worker, queues=["mail"], types=["a"]) == {("mail", "a")}
    assert served(worker, queues=[]) == set()


def test_what_is_named_is_there_before_the_first_task(db: Db) -> None:
    worker = a_worker(db)
    routes = worker.routes(queues=["mail"], types=["send"])

    task_id = start_one(db, kind={"type": "send", "queue": "mail"})

    assert [claim.task_id for claim in worker.claim(routes=routes)] == [task_id]


def test_asking_twice_answers_the_same_routes(db: Db) -> None:
    worker = a_worker(db)

    assert worker.routes(["q"], ["t"]) == worker.routes(["q"], ["t"])


@pytest.mark.parametrize(
    ("has", "needs", "serves"),
    [
        ([], [], True),
        (["gpu"], [], True),
        (["gpu", "eu"], ["gpu"], True),
        (["gpu", "eu"], ["eu", "gpu"], True),
        (["gpu"], ["gpu", "eu"], False),
        ([], ["gpu"], False),
        (["GPU"], ["gpu"], False),
    ],
)
def test_a_worker_must_have_every_label_that_a_task_needs(
    db: Db, has: list[str], needs: list[str], serves: bool
) -> None:
    started(db, {"type": "t", "labels": needs})

    assert (served(a_worker(db, labels=has)) != set()) is serves
    assert len(a_worker(db, labels=has).claim()) == int(serves)


def test_a_worker_serves_the_languages_it_speaks(db: Db) -> None:
    started(db, {"type": "p"}, {"type": "c", "language": "cpp"}, {"type": "r", "language": "rust"})

    assert served(a_worker(db)) == {("default", "p")}
    assert served(a_worker(db, languages=["cpp", "rust"])) == {("default", "c"), ("default", "r")}


def test_a_task_whose_data_lives_in_one_place_is_served_there_only(db: Db) -> None:
    data = call(db, "put_object", org_id=DEFAULT_ORG, type="file", uri="file:///x")
    call(db, "place_object", org_id=DEFAULT_ORG, object_id=data, addresses=["10.0.0.1"], hard=True)
    call(
        db,
        "start_run",
        org_id=DEFAULT_ORG,
        run=Jsonb({}),
        kinds=Jsonb([{"type": "t"}]),
        inputs=[Jsonb(None)],
        details=Jsonb([{"task": 0, "slots": [{"object": str(data)}]}]),
    )

    assert a_worker(db, address="10.0.0.2").claim() == []
    assert a_worker(db).claim() == []
    (claim,) = a_worker(db, address="10.0.0.1").claim()
    assert claim.slots == [{"$object": str(data)}]


def test_another_orgs_routes_are_not_served(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    started(db, {"type": "mine"})
    started(db, {"type": "theirs"}, org_id=other)

    assert served(a_worker(db)) == {("default", "mine")}
    assert served(a_worker(db, org_id=other)) == {("default", "theirs")}
    assert served(a_worker(db), queues=["default"], types=["theirs"]) == {("default", "theirs")}


def test_labels_are_a_set_whatever_their_order(db: Db) -> None:
    start(db, kind={"labels": ["b", "a"]})
    start(db, kind={"labels": ["a", "b", "a"]})

    assert len(a_worker(db, labels=["b", "a"]).routes()) == 1


def test_a_session_that_is_not_there_is_not_found(db: Db) -> None:
    with pytest.raises(NotFound, match="999"):
        call(db, "resolve_routes", session_id=999)


@pytest.mark.parametrize("wrong", [{"queues": [""], "types": ["t"]}, {"queues": ["q"], "types": ["t" * 257]}])
def test_names_that_no_route_could_have_are_refused(db: Db, wrong: dict[str, list[str]]) -> None:
    with pytest.raises(InvalidInput):
        served(a_worker(db), **wrong)
