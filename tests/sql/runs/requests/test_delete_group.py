"""A deleted resource group takes its runs with it, in pieces."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict, NotFound
from tests.support.database.loops import an_org, cancel_run, count, run, settle, value
from tests.support.database.open_runs import close_run, open_run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, drain, start, start_graph, start_one

LATER = Jsonb([{"task": 0, "delay_seconds": 60}])
LIMITED = Jsonb([{"task": 0, "limits": [{"scope": "key", "key": "k", "size": 1}]}])


def a_group(db: Db, name: str = "team") -> str:
    call(db, "set_resource_group", org_id=DEFAULT_ORG, external_id=name, weight=3, quota=5)
    return name


def delete(db: Db, name: str = "team") -> None:
    call(db, "delete_group", org_id=DEFAULT_ORG, external_id=name)


def advance(db: Db) -> None:
    while call(db, "advance_requests"):
        pass


def test_the_runs_of_a_deleted_group_go_with_it(db: psycopg.Connection) -> None:
    a_group(db)
    kept = start_one(db)
    start(db, 1, 2, 3, group="team")
    start_graph(db, 2, [(0, 1)], run={"group": "team"})
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    group_id = value(db, "select id from tenuto.resource_groups where external_id = 'team'")
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=thing, holder="group", holder_id=group_id)
    drain(db, a_worker(db))
    settle(db)

    delete(db)
    assert [group["external_id"] for group in call(db, "list_groups", org_id=DEFAULT_ORG)] == ["default"]
    assert count(db, "data_references") == 0
    for gone in ("get_group", "delete_group"):
        with pytest.raises(NotFound):
            call(db, gone, org_id=DEFAULT_ORG, external_id="team")
    with pytest.raises(NotFound):
        start(db, 1, group="team")
    advance(db)
    assert value(db, "select array_agg(id) from tenuto.runs") == [kept]
    assert (count(db, "tasks"), count(db, "task_attempts"), count(db, "run_requests")) == (1, 1, 0)

    a_group(db)
    start(db, 1, group="team")
    assert value(db, "select count(*) from tenuto.run_status where resource_group = 'team'") == 1


@pytest.mark.parametrize("where", ["ready", "delayed", "pending", "waiting", "running", "open"])
def test_a_group_with_open_work_is_refused(db: psycopg.Connection, where: str) -> None:
    a_group(db)
    match where:
        case "delayed":
            start(db, 1, group="team", details=LATER)
        case "pending":
            start_graph(db, 1, run={"group": "team", "hold": True})
        case "waiting":
            start(db, 1, group="team", details=LIMITED)
        case "open":
            open_run(db, group="team")
        case _:
            start(db, 1, group="team")
    if where == "running":
        a_worker(db).claim_one()
    with pytest.raises(Conflict, match="has runs that have not ended"):
        delete(db)
    assert count(db, "run_requests") == 0


def test_the_default_group_and_those_of_other_orgs_stay(db: psycopg.Connection) -> None:
    with pytest.raises(Conflict, match="default group"):
        delete(db, "default")
    a_group(db)
    with pytest.raises(NotFound):
        call(db, "delete_group", org_id=an_org(db, "other"), external_id="team")
    with pytest.raises(NotFound):
        delete(db, "unknown")


def test_a_group_is_deleted_after_its_runs_were_cancelled(db: psycopg.Connection) -> None:
    a_group(db)
    run_id = open_run(db, group="team")
    cancel_run(db, run_id)
    settle(db)
    delete(db)
    advance(db)
    assert count(db, "runs") == 0


def test_a_large_run_is_deleted_in_pieces(db: psycopg.Connection) -> None:
    a_group(db)
    start_graph(db, 1001, run={"group": "team"})
    drain(db, a_worker(db), limit=1001)
    settle(db)
    delete(db)
    assert call(db, "advance_requests") == 1
    assert (count(db, "runs"), count(db, "tasks")) == (0, 1001)
    advance(db)
    assert count(db, "tasks") + count(db, "run_requests") + count(db, "run_request_parts") == 0


def test_a_run_that_is_started_meanwhile_keeps_its_group(db: psycopg.Connection, client: psycopg.Connection) -> None:
    a_group(db)
    (late,) = start(client, 1, group="team")
    db.execute("set lock_timeout = '1s'")
    delete(db)
    a_group(db)
    client.commit()
    advance(db)
    assert run(db, late)["resource_group"].startswith("team (deleted ")
    assert drain(db, a_worker(db)) == 1
    assert run(db, late)["status"] == "completed"


def test_a_reference_that_is_added_meanwhile_is_pruned(db: psycopg.Connection, client: psycopg.Connection) -> None:
    a_group(db)
    thing = call(db, "put_object", org_id=DEFAULT_ORG, type="blob", payload=b"x")
    call(client, "reference_object", org_id=DEFAULT_ORG, object_id=thing, holder="group", group="team")
    db.execute("set lock_timeout = '1s'")
    delete(db)
    client.commit()
    assert count(db, "data_references") == 1

    call(db, "prune_runs")
    assert count(db, "data_references") == 0


def test_a_run_that_its_retry_copies_stays(db: psycopg.Connection) -> None:
    a_group(db)
    run_id, _ = start_graph(db, 1, run={"group": "team", "name": "kept"})
    empty = open_run(db, group="team")
    close_run(db, empty)
    drain(db, a_worker(db))
    settle(db)
    db.execute(
        "insert into tenuto.run_requests (run_id, verb, org_id, source_id, base_id, requested_at, worked_at)"
        " values (gen_random_uuid(), 'retry', %s, %s, gen_random_uuid(), now(), now())",
        [DEFAULT_ORG, run_id],
    )
    delete(db)
    group_id = value(db, "select run_id from tenuto.run_requests where verb = 'delete_group'")
    call(db, "advance_requests", keys=[f"delete_group:{group_id}"])
    assert value(db, "select array_agg(id) from tenuto.runs") == [run_id]
