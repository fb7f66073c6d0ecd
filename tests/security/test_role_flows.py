"""Each role can do its work, and no more than its work."""

from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.install import install
from tenuto.model.errors import NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org, fenced, lose_workers, promote, run, settle
from tests.support.database.orgs import a_busy_org, acting_for
from tests.support.database.tasks import a_worker, call, drain, start, start_graph, start_one, status
from tests.support.postgres.server import connect_as

LOOPS = (
    "promote_due", "expire_sessions", "expire_attempts", "expire_deadlines", "wake_waiting", "fold_runs",
    "settle_runs", "move_floors", "sweep_lanes", "sweep_limits", "prune_limits", "sweep_cancelled", "collect_objects",
    "prune_effects", "prune_runs", "create_partitions", "drop_partitions", "admit_rates", "list_due_maintenance",
    "list_due_schedules",
)  # fmt: skip


@pytest.mark.parametrize("role", ["tenuto_worker", "tenuto_dispatcher"])
def test_the_main_flow_works_with_the_rights_of_the_trusted_roles(database: str, role: str) -> None:
    with connect_as(database, role) as conn:
        clock = Clock(conn)
        run_id, tasks = start_graph(conn, 2, [(0, 1)])
        worker = a_worker(conn)
        worker.fail(worker.claim_one())
        promote(conn, clock)
        call(conn, "expire_sessions")
        worker = a_worker(conn, "second")
        held = worker.claim_one()
        worker.beat(held)
        lose_workers(conn, clock)
        promote(conn, clock)
        worker = a_worker(conn, "third")
        held = worker.claim_one()
        call(conn, "put_task_data", **fenced(worker, held, values={"a": 1}))
        call(conn, "record_step", **fenced(worker, held, step_no=1, name="s", kind="step", value={}))
        call(conn, "fail_step", **fenced(worker, held, step_no=2, name="t", error={"message": "no"}, tries=1))
        worker.complete(held)
        drain(conn, worker)
        settle(conn)

        assert run(conn, run_id)["status"] == "completed"
        assert status(conn, tasks[1]) == "completed"


def test_every_loop_works_with_the_dispatchers_rights(db: psycopg.Connection, database: str) -> None:
    a_busy_org(db, "busy")
    with connect_as(database, "tenuto_dispatcher") as conn:
        for function in LOOPS:
            call(conn, function)
        call(conn, "take_effects", owner="d", kinds=["deliver"], limit=10, lease="1 minute")


def test_the_api_does_everything_for_its_own_org(db: psycopg.Connection, database: str) -> None:
    org = an_org(db, "mine")
    with connect_as(database, "tenuto_api") as conn, acting_for(conn, org):
        run_id, _ = start_graph(conn, 3, [(0, 1)], org_id=org)
        one, two = start(conn, 1, 2, org_id=org, dedupe_keys=["a", None])
        call(conn, "put_run_data", org_id=org, run_id=run_id, values={"k": 1})
        thing = call(conn, "put_object", org_id=org, type="blob", payload=b"x")
        call(conn, "reference_object", org_id=org, object_id=thing, holder="run", holder_id=run_id)
        call(conn, "send_signal", org_id=org, run_id=run_id, name="go")
        call(conn, "pause_queue", org_id=org, queue="default")
        call(conn, "resume_queue", org_id=org, queue="default")
        call(conn, "set_resource_group", org_id=org, external_id="gold", weight=3)
        call(conn, "cancel_run", org_id=org, run_id=one)
        call(conn, "cancel_task", org_id=org, task_id=two)
    with connect_as(database, "tenuto_api") as conn, acting_for(conn, org):
        again = call(conn, "retry_run", org_id=org, run_id=one)
        call(conn, "delete_run", org_id=org, run_id=two)
        call(conn, "set_org_settings", org_id=org, settings={"retention_days": 3})

        assert run(conn, run_id)["status"] == "pending"
        assert (status(conn, one), status(conn, again), status(conn, two)) == ("cancelled", "queued", "gone")


NOT_YOURS = ("cancel_run", "retry_run", "delete_run", "put_run_data", "send_signal", "cancel_task", "get_object",
             "place_object", "reference_object", "edit_run_data_tags", "set_org_settings")  # fmt: skip


@pytest.mark.parametrize("function", NOT_YOURS)
@pytest.mark.parametrize("pretend", [False, True], ids=["as itself", "naming the other org"])
def test_the_api_finds_nothing_of_another_org(
    db: psycopg.Connection, database: str, function: str, pretend: bool
) -> None:
    mine, theirs = an_org(db, "mine"), an_org(db, "theirs")
    run_id = start_one(db, org_id=theirs)
    (data_id,) = call(db, "put_run_data", org_id=theirs, run_id=run_id, values={"k": 1})
    thing = call(db, "put_object", org_id=theirs, type="blob", payload=b"x")
    named: dict[str, dict[str, object]] = {
        "put_run_data": {"run_id": run_id, "values": {"k": 2}},
        "send_signal": {"run_id": run_id, "name": "go"},
        "cancel_task": {"task_id": run_id},
        "get_object": {"object_id": thing},
        "place_object": {"object_id": thing, "addresses": ["a"]},
        "reference_object": {"object_id": thing, "holder": "run", "holder_id": uuid4()},
        "edit_run_data_tags": {"data_id": data_id, "add": ["x"]},
        "set_org_settings": {"settings": {}},
    }
    arguments = named.get(function, {"run_id": run_id})
    org = theirs if pretend or function == "set_org_settings" else mine

    with connect_as(database, "tenuto_api") as conn, pytest.raises(NotFound), acting_for(conn, mine):
        call(conn, function, org_id=org, **arguments)

    assert status(db, run_id) == "queued"


def test_the_api_cannot_start_work_or_workers_for_another_org(db: psycopg.Connection, database: str) -> None:
    mine, theirs = an_org(db, "mine"), an_org(db, "theirs")

    def refused(*arguments: object) -> None:
        with connect_as(database, "tenuto_api") as conn:
            with pytest.raises((NotFound, psycopg.errors.InsufficientPrivilege)), acting_for(conn, mine):
                start(conn, *arguments, org_id=theirs)
            with pytest.raises((NotFound, psycopg.errors.InsufficientPrivilege)), acting_for(conn, mine):
                a_worker(conn, org_id=theirs)

    refused(1)
    assert db.execute("select count(*) from tenuto.tasks").fetchone() == (0,)
    assert db.execute("select count(*) from tenuto.workers").fetchone() == (0,)


def test_the_api_cannot_reach_into_another_org_by_an_id(db: psycopg.Connection, database: str) -> None:
    mine, theirs = an_org(db, "mine"), an_org(db, "theirs")
    thing: UUID = call(db, "put_object", org_id=theirs, type="blob", payload=b"x")
    details = [{"task": 0, "slots": [{"object": str(thing)}]}]

    with connect_as(database, "tenuto_api") as conn:
        with pytest.raises(NotFound), acting_for(conn, mine):
            start_graph(conn, 1, org_id=mine, details=details)
        with acting_for(conn, mine):
            assert start(conn, 1, org_id=mine, details=Jsonb([{"task": 0, "name": "fine"}]))


def test_a_fake_clock_has_no_effect_outside_test_databases(empty_database: str) -> None:
    install.migrate(empty_database)
    with psycopg.connect(empty_database, autocommit=True) as conn:
        conn.execute("set tenuto.fake_now = '2001-01-01T00:00:00Z'")
        row = conn.execute("select tenuto.now() = statement_timestamp()").fetchone()

    assert row == (True,)
