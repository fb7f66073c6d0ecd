"""Tasks whose input lives in one place run there."""

from uuid import UUID

import psycopg
import pytest

from tenuto.model.errors import InvalidInput, NotFound, TooLarge
from tests.support.database.data_objects import an_object
from tests.support.database.loops import an_org, promote
from tests.support.database.tasks import DEFAULT_ORG, Worker, a_worker, call, start_graph, status


def at(db: psycopg.Connection, address: str | None) -> Worker:
    return a_worker(db, f"worker at {address}", address=address)


def start_with(db: psycopg.Connection, *objects: UUID) -> UUID:
    slots = [{"object": str(object_id)} for object_id in objects]
    return start_graph(db, 1, details=[{"task": 0, "slots": slots}])[1][0]


def test_only_a_worker_at_the_address_gets_the_task(db: psycopg.Connection) -> None:
    task_id = start_with(db, an_object(db, at=["node-1"], hard=True))

    assert at(db, None).claim() == []
    assert at(db, "node-2").claim() == []
    assert at(db, "node-1").claim_one().task_id == task_id


def test_any_of_several_addresses_will_do(db: psycopg.Connection) -> None:
    start_with(db, an_object(db, at=["node-1", "node-2"], hard=True))

    assert at(db, "node-3").claim() == []
    assert len(at(db, "node-2").claim()) == 1


def test_a_task_with_two_objects_runs_where_both_are(db: psycopg.Connection) -> None:
    task_id = start_with(
        db, an_object(db, at=["node-1", "node-2"], hard=True), an_object(db, at=["node-2", "node-3"], hard=True)
    )

    assert at(db, "node-1").claim() == []
    assert at(db, "node-3").claim() == []
    assert at(db, "node-2").claim_one().task_id == task_id


def test_a_task_whose_objects_are_nowhere_together_is_not_claimed(db: psycopg.Connection) -> None:
    task_id = start_with(db, an_object(db, at=["node-1"], hard=True), an_object(db, at=["node-2"], hard=True))

    assert [at(db, address).claim() for address in ("node-1", "node-2", None)] == [[], [], []]
    assert status(db, task_id) == "queued"


def test_soft_locality_binds_nobody(db: psycopg.Connection) -> None:
    start_with(db, an_object(db, at=["node-1"]))

    assert len(at(db, "node-2").claim()) == 1


def test_a_hard_object_and_a_soft_one_run_where_the_hard_one_is(db: psycopg.Connection) -> None:
    start_with(db, an_object(db, at=["node-1"], hard=True), an_object(db, at=["node-2"]))

    assert at(db, "node-2").claim() == []
    assert len(at(db, "node-1").claim()) == 1


def a_producer_and_a_consumer(db: psycopg.Connection) -> tuple[UUID, UUID]:
    details = [{"task": 0, "outputs": ["blob"]}, {"task": 1, "slots": [{"type": "blob", "task": 0, "output": 0}]}]
    _, (producer, consumer) = start_graph(db, 2, details=details)
    return producer, consumer


def test_an_object_that_an_upstream_task_produced_binds_its_consumer(db: psycopg.Connection) -> None:
    _, consumer = a_producer_and_a_consumer(db)
    object_id = an_object(db, at=["node-1"], hard=True)
    elsewhere = at(db, "node-2")

    elsewhere.complete(elsewhere.claim_one(), outputs=[[{"$object": str(object_id)}]])

    assert elsewhere.claim() == []
    held = at(db, "node-1").claim_one()
    assert (held.task_id, held.slots) == (consumer, [{"$object": str(object_id)}])


@pytest.mark.parametrize("odd", ["not an id", 5, None, {"a": 1}, "0" * 36])
def test_an_output_that_only_looks_like_an_object_harms_nobody(db: psycopg.Connection, odd: object) -> None:
    a_producer_and_a_consumer(db)
    an_object(db, at=["node-1"], hard=True)
    worker = at(db, "node-2")

    assert worker.complete(worker.claim_one(), outputs=[[{"$object": odd}]]) == ["accepted"]

    assert worker.claim_one().slots == [{"$object": odd}]


def test_a_retried_task_goes_to_where_its_object_is_now(db: psycopg.Connection) -> None:
    object_id = an_object(db, at=["node-1"], hard=True)
    start_with(db, object_id)
    first = at(db, "node-1")
    held = first.claim_one()
    call(db, "place_object", org_id=DEFAULT_ORG, object_id=object_id, addresses=["node-2"], hard=True)

    first.fail(held, retry=0)
    promote(db)

    assert first.claim() == []
    assert at(db, "node-2").claim_one().attempt == 2


def test_the_object_of_another_org_cannot_be_an_input(db: psycopg.Connection) -> None:
    theirs = an_object(db, org_id=an_org(db, "other"))

    with pytest.raises(NotFound, match="no data object"):
        start_with(db, theirs)


def test_an_input_that_is_no_id_is_refused(db: psycopg.Connection) -> None:
    with pytest.raises(InvalidInput):
        start_graph(db, 1, details=[{"task": 0, "slots": [{"object": "mine"}]}])


def test_more_hard_addresses_than_a_route_can_name_are_refused_when_placed(db: psycopg.Connection) -> None:
    object_id = an_object(db)
    many = [f"node-{no}.rack.example" for no in range(50)]

    with pytest.raises(TooLarge, match="50 hard addresses"):
        call(db, "place_object", org_id=DEFAULT_ORG, object_id=object_id, addresses=many, hard=True)

    call(db, "place_object", org_id=DEFAULT_ORG, object_id=object_id, addresses=many)
