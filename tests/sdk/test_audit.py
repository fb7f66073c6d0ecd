"""What a client does is in the audit log once, over SQL as over HTTP, and a client can list it."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from tenuto import App, connect_sync
from tests.support.database.audit import deeds
from tests.support.database.tasks import Db

app = App("shop")


@app.task
def add(x: int, y: int) -> int:
    return x + y


def test_each_call_of_a_client_is_one_entry_of_its_login_or_key(journey, transport, db: Db):
    async def steps(tn):
        first = await tn.start(add, 1, 2)
        again = await tn.start(add, 1, 2, dedupe_key="once")
        await tn.start(add, 1, 2, dedupe_key="once")
        await tn.start_many(add, [(no, no) for no in range(20)])
        graph = tn.graph("g")
        graph.add(add, 1, graph.add(add, 1, 2))
        await tn.start(graph)
        opened = await tn.open_run(name="import")
        await opened.add(add, 1, 2)
        await opened.signal("go", "secret words")
        await tn.transport.put_run_data(opened.id, {"k": 1}, None, None)
        await opened.close()
        await first.cancel("late")
        retried = await first.retry()
        await tn.cancel(retried)
        await retried.delete()
        await tn.schedules.put("nightly", add.options(), 1, 2, cron="0 3 * * *")
        await tn.schedules.pause("nightly")
        await tn.schedules.resume("nightly")
        await tn.schedules.run("nightly")
        await tn.schedules.delete("nightly")
        await tn.purge_queue("default", reason="twice")
        with pytest.raises(Exception, match="already"):
            await again.cancel()
        entries = await tn.audit(limit=100)
        assert "secret words" not in str(entries)
        assert [entry.id for entry in await tn.audit(action="start", limit=1)] == [
            next(entry.id for entry in entries if entry.action == "start")
        ]
        now = datetime.now(UTC)
        assert await tn.audit(since=now + timedelta(hours=1)) == []
        assert await tn.audit(until=now - timedelta(hours=1)) == await tn.audit(ip="203.0.113.9") == []
        assert await tn.audit(actor=entries[0].actor_id, before=entries[-1].id) == []
        return [entry for entry in reversed(entries) if entry.entity != "api_key"]

    entries = journey(app, steps)

    assert [(entry.entity, entry.action) for entry in entries] == [
        *[("run", "start")] * 4, ("run", "open"), ("run", "add"), ("run", "signal"), ("run_data", "put"),
        ("run", "close"), ("run", "cancel"), ("run", "retry"), ("run", "cancel"), ("run", "delete"),
        ("schedule", "put"), ("schedule", "pause"), ("schedule", "resume"), ("schedule", "fire"),
        ("schedule", "delete"), ("queue", "purge"),
    ]  # fmt: skip
    actor = ("login", db.info.user) if transport == "direct" else ("api_key", entries[0].actor_id)
    assert {(entry.actor_kind, entry.actor_id) for entry in entries} == {actor}
    assert (entries[2].changes["type"], entries[2].changes["runs"]) == ({"new": "shop.add"}, {"new": 20})
    assert entries[2].entity_id.endswith(" and 19 more")


def test_a_start_in_the_callers_transaction_is_audited_if_it_commits(db: Db, database: str):
    with connect_sync(app, database) as tn, psycopg.connect(database, application_name="till") as conn:
        tn.start(add, 1, 2, connection=conn)
        conn.rollback()
        run = tn.start(add, 3, 4, connection=conn)
        assert deeds(db) == []
        conn.commit()

        assert deeds(db) == [("run", str(run.id), "start")]
        (entry,) = tn.audit()
        assert (entry.actor_id, entry.user_agent) == (conn.info.user, "till")
