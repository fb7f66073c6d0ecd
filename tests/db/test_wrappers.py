"""The wrappers: a story told through db/ alone, with plain Python values in and dataclasses out."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import AsyncConnection

from tenuto.db import attempts, children, data_objects, maintenance, orgs, outbox, run_data, runs, steps, workers
from tenuto.db.connection.call import Conn
from tenuto.model import errors
from tenuto.model.outbox import Effect
from tenuto.model.run_requests import RunOutput
from tenuto.model.tasks import Claimed, ReportResult
from tenuto.model.workers import Session
from tests.support.database.tasks import DEFAULT_ORG

KINDS = [{"type": "app.work", "backoff_seconds": 0}]
Story = Callable[[Conn], Awaitable[None]]


def play(database: str, story: Story) -> None:
    async def on_a_connection() -> None:
        async with await AsyncConnection.connect(database, autocommit=True) as conn:
            await story(conn)

    asyncio.run(on_a_connection())


async def a_session(conn: Conn) -> Session:
    return await workers.register_worker(
        conn, org_id=DEFAULT_ORG, worker_id="w", lease=timedelta(seconds=30), metadata={"vram": 24}
    )


async def claim(conn: Conn, session: Session, claim_no: int, limit: int = 10) -> list[Claimed]:
    routes = await attempts.resolve_routes(conn, session_id=session.session_id)
    return await attempts.claim_tasks(
        conn,
        session_id=session.session_id,
        token=session.token,
        claim_no=claim_no,
        routes=[route.route_id for route in routes],
        limit=limit,
    )


def fence(session: Session, *claims: Claimed) -> dict:
    return {
        "session_id": session.session_id,
        "token": session.token,
        "task_ids": [claim.task_id for claim in claims],
        "attempts": [claim.attempt for claim in claims],
    }


def one_fence(session: Session, claim: Claimed) -> dict:
    return {
        "session_id": session.session_id,
        "token": session.token,
        "task_id": claim.task_id,
        "attempt": claim.attempt,
    }


def test_a_graph_runs_from_start_to_output(database: str) -> None:
    async def story(conn: Conn) -> None:
        session = await a_session(conn)
        started = await runs.start_run(
            conn,
            org_id=DEFAULT_ORG,
            run={"name": "graph", "dedupe_key": "once"},
            kinds=KINDS,
            inputs=[{"x": 1}, None],
            edges=[{"from": 0, "to": 1}],
        )
        again = await runs.start_run(
            conn, org_id=DEFAULT_ORG, run={"name": "graph", "dedupe_key": "once"}, kinds=KINDS, inputs=[None]
        )
        assert (started.created, again.created, again.run_id) == (True, False, started.run_id)

        (first,) = await claim(conn, session, 1)
        assert first.input == {"x": 1}
        exchanged = await attempts.complete_and_claim(
            conn,
            **fence(session, first),
            outputs=[[1, 2]],
            claim_no=2,
            routes=[first.route_id],
            limit=5,
            effects=[{"task_id": str(first.task_id), "kind": "deliver", "payload": {"to": "x"}}],
        )
        assert exchanged.refused == []
        (second,) = exchanged.claimed
        assert await attempts.complete_tasks(conn, **fence(session, second), outputs=["done"]) == [
            ReportResult(second.task_id, 1, "accepted")
        ]
        repeated = await attempts.complete_and_claim(
            conn, **fence(session, second), outputs=["done"], claim_no=3, routes=[], limit=0
        )
        assert [answer.result for answer in repeated.refused] == ["already_accepted"]

        await maintenance.fold_runs(conn, run_ids=[started.run_id])
        assert await runs.get_run_output(conn, run_id=started.run_id) == RunOutput(output="done", omitted=False)
        (effect,) = await outbox.take_effects(conn, owner="me", kinds=["deliver"], limit=5, lease=timedelta(minutes=1))
        assert isinstance(effect, Effect)
        assert effect.payload == {"to": "x"}
        assert await outbox.finish_effects(conn, owner="me", ids=[effect.id]) == [effect.id]

    play(database, story)


def test_attempts_end_in_every_way_a_worker_can_report(database: str) -> None:
    async def story(conn: Conn) -> None:
        session = await a_session(conn)
        await runs.start_many(conn, org_id=DEFAULT_ORG, kinds=KINDS, inputs=[1, 2, 3, 4, 5])
        failed, snoozed, interrupted, waiting, held = await claim(conn, session, 1)

        answers = [
            *await attempts.fail_tasks(conn, **fence(session, failed), errors=[{"message": "no"}], retries=[2.5]),
            *await attempts.snooze_tasks(conn, **fence(session, snoozed), seconds=[10.0]),
            *await attempts.interrupt_tasks(conn, **fence(session, interrupted)),
            *await attempts.wait_tasks(conn, **fence(session, waiting), waits=[{"for": "signal", "name": "go"}]),
        ]
        assert {answer.result for answer in answers} == {"accepted"}
        assert await attempts.report_progress(conn, **fence(session, held), progress=[0.5], messages=["half"]) == []
        await runs.cancel_task(conn, org_id=DEFAULT_ORG, task_id=held.task_id)
        beat = await attempts.heartbeat(conn, **fence(session, held, failed), settled=1, metrics={"load": 1})
        assert (beat.lost, beat.cancelled) == ([failed.task_id], [held.task_id])
        await steps.send_signal(conn, org_id=DEFAULT_ORG, run_id=waiting.run_id, name="go", value={"ok": True})
        answer = await attempts.claim_task(
            conn, session_id=session.session_id, token=session.token, claim_no=2, task_id=waiting.task_id
        )
        assert answer.task is not None
        assert (answer.result, answer.task.attempt) == ("claimed", 2)
        refused = await attempts.claim_task(
            conn, session_id=session.session_id, token=session.token, claim_no=3, task_id=snoozed.task_id
        )
        assert (refused.result, refused.task) == ("not_due", None)

    play(database, story)


def test_tasks_share_objects_data_state_steps_signals_and_logs(database: str) -> None:
    async def story(conn: Conn) -> None:
        session = await a_session(conn)
        (run,) = await runs.start_many(conn, org_id=DEFAULT_ORG, kinds=KINDS, inputs=[None])
        (held,) = await claim(conn, session, 1)
        mine = one_fence(session, held)

        object_id = await data_objects.put_object(conn, org_id=DEFAULT_ORG, type="bytes", payload=b"\x00\xff")
        assert (await data_objects.get_object(conn, org_id=DEFAULT_ORG, object_id=object_id)).payload == b"\x00\xff"
        await run_data.put_task_data(conn, **mine, values={"a": [1], "b": None}, tags=["t"])
        found = await run_data.get_run_data(conn, org_id=DEFAULT_ORG, run_id=run.run_id, glob="?", tags=["t"])
        assert [(datum.key, datum.value, datum.attempt) for datum in found] == [("a", [1], 1), ("b", None, 1)]
        datum = found[0].id
        assert await run_data.edit_run_data_tags(conn, org_id=DEFAULT_ORG, data_id=datum, add=["u"]) == ["t", "u"]
        assert await run_data.delete_run_data(conn, org_id=DEFAULT_ORG, run_id=run.run_id, data_id=datum) == 1
        assert await run_data.put_state(conn, **mine, job_key="j", key="k", value=None, version=0) == 1
        (state,) = await run_data.get_state(conn, org_id=DEFAULT_ORG, job_key="j")
        assert (state.key, state.value, state.version) == ("k", None, 1)
        assert await steps.record_step(conn, **mine, step_no=1, name="pay", kind="step", value=[7]) == [7]
        await steps.send_signal(conn, org_id=DEFAULT_ORG, run_id=run.run_id, name="go", value=3)
        signal = await steps.take_signal(conn, **mine, step_no=2, name="go")
        assert (signal.found, signal.value) == (True, 3)
        await steps.fail_step(conn, **mine, step_no=3, name="mail", error={"message": "no"}, tries=1, retry_seconds=9)
        recorded = await steps.get_steps(conn, org_id=DEFAULT_ORG, task_id=held.task_id)
        assert [(step.name, step.kind, step.value, step.error, step.tries) for step in recorded] == [
            ("pay", "step", [7], None, 1),
            ("go", "signal", 3, None, 1),
            ("mail", "step", None, {"message": "no"}, 1),
        ]
        retry_at = recorded[2].retry_at
        assert retry_at is not None
        assert recorded[2].seen_at(retry_at)["retry_in_seconds"] == 0
        line = {"task_id": str(held.task_id), "attempt": 1, "line_no": 1, "message": "hello"}
        assert await run_data.write_logs(conn, session_id=session.session_id, token=session.token, lines=[line]) == 1
        (read,) = await run_data.read_logs(conn, org_id=DEFAULT_ORG, task_id=held.task_id)
        assert (read.level, read.message) == ("info", "hello")
        started = await children.start_children(conn, **mine, kinds=KINDS, inputs=[1, 2])
        tree = await runs.get_task_tree(conn, org_id=DEFAULT_ORG, task_id=held.task_id)
        assert [(node.id, node.depth) for node in tree] == [(held.task_id, 0), *((child, 1) for child in started)]

    play(database, story)


ERRORS: list[tuple[type[errors.TenutoError], Callable[[Conn, UUID], Awaitable[object]]]] = [
    (errors.NotFound, lambda conn, org: runs.cancel_run(conn, org_id=org, run_id=uuid4())),
    (errors.NotFound, lambda conn, _: workers.register_worker(conn, org_id=uuid4(), worker_id="w")),
    (errors.SessionEnded, lambda conn, _: run_data.write_logs(conn, session_id=9, token=uuid4(), lines=[])),
    (errors.InvalidInput, lambda conn, _: orgs.create_org(conn, slug="No Slug")),
    (errors.InvalidInput, lambda conn, org: orgs.set_org_settings(conn, org_id=org, settings={"x": 1})),
    (errors.Conflict, lambda conn, _: orgs.create_org(conn, slug="default")),
    (
        errors.StaleLease,
        lambda conn, _: run_data.put_task_data(
            conn, session_id=9, token=uuid4(), task_id=uuid4(), attempt=1, values={"a": 1}
        ),
    ),
    (
        errors.TooLarge,
        lambda conn, org: data_objects.put_object(conn, org_id=org, type="bytes", payload=bytes(2_000_000)),
    ),
]


@pytest.mark.parametrize(("error", "mistake"), ERRORS)
def test_a_refusal_is_the_exception_of_its_code(
    database: str,
    error: type[errors.TenutoError],
    mistake: Callable[[Conn, UUID], Awaitable[object]],
) -> None:
    async def story(conn: Conn) -> None:
        with pytest.raises(error) as caught:
            await mistake(conn, DEFAULT_ORG)
        assert isinstance(caught.value.__cause__, psycopg.Error)
        assert str(caught.value)

    play(database, story)
