"""What an org has besides runs, through the client: tasks, workers, queues, keys and more, over both transports."""

import asyncio
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto import App, Conflict, Context, InvalidInput, NotFound
from tenuto.db.connection.errors import BadAddress
from tenuto.model.counts import Count
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one

app = App("shop")
SHA = "ab" * 32


@app.task(max_attempts=1)
async def charge(order: int) -> None:
    raise OSError(f"no money for order {order}")


@app.task
async def store(ctx: Context) -> None:
    await ctx.data.put("total", 5, tags=["sum"])


def test_tasks_are_listed_read_retried_and_cancelled(journey):
    async def steps(tn):
        run = await tn.start(charge, 1)
        await tn.work()
        waiting = await tn.start(charge, 2, delay="1h")

        (failed,) = await tn.tasks(status=["failed", "completed"], since="1h")
        assert (failed.id, failed.run_id) == (run.id, run.id)
        assert [task.id for task in await tn.tasks(run_id=waiting.id)] == [waiting.id]
        assert len(await tn.tasks(most=1, type="shop.charge")) == 1
        assert await tn.tasks.count(type="shop.charge") == Count(2, exact=True)
        assert (await tn.tasks.get(str(run.id))).input == [1]
        assert [node.id for node in await tn.tasks.tree(run.id)] == [run.id]
        assert "delay" in await tn.tasks.why(waiting.id)

        retry = await tn.tasks.retry(run.id)
        assert (await retry.info()).retry_of == run.id
        with pytest.raises(Conflict):
            await tn.tasks.retry(run.id)
        await tn.tasks.cancel(waiting.id, "too late")
        assert await waiting.status() == "cancelled"
        with pytest.raises(NotFound):
            await tn.tasks.get(uuid4())
        with pytest.raises(InvalidInput, match="'x' is not the id of a task"):
            await tn.tasks.get("x")

    journey(app, steps)


def test_a_value_of_run_data_is_read_by_key_and_by_id(journey):
    async def steps(tn):
        run = await tn.start(store)
        await tn.work()
        item = await run.data.item("total")
        assert (item.value, item.tags, item.task_id) == (5, ["sum"], run.id)
        assert await tn.get_data(item.id) == item
        with pytest.raises(NotFound):
            await run.data.item("sum")

    journey(app, steps)


def an_org_with_one_of_each(db: Db) -> None:
    worker = a_worker(db, "w-1")
    call(db, "declare_types", **worker.fence, types={"a.b": {}}, schemas={"a.b": {"type": "object"}})
    call(db, "beat_dispatcher", id=uuid4(), address="here", port=9)
    start(
        db,
        1,
        kind={"queue": "mail"},
        details=Jsonb([{"task": 0, "limits": [{"scope": "key", "key": "a/b", "size": 2}]}]),
    )
    call(db, "follow_arrivals")
    manifest = {"name": "tools", "tasks": {"load": "main:load"}}
    call(db, "put_bundle", org_id=DEFAULT_ORG, sha256=SHA, manifest=manifest, size=3, created_by="ann")


def test_one_of_each_thing_is_read_and_changed(way, db: Db):
    an_org_with_one_of_each(db)

    async def steps() -> None:
        async with app.connect(**way) as tn:
            assert [worker.id for worker in await tn.workers.list(status="active")] == ["w-1"]
            await tn.workers.drain("w-1", "update")
            assert (await tn.workers.get("w-1")).drain_reason == "update"
            await tn.workers.terminate("w-1")
            assert (await tn.workers.get("w-1")).status == "terminated"
            assert [dispatcher.address for dispatcher in await tn.dispatchers.list()] == ["here"]
            await tn.queues.pause("mail")
            assert [(q.name, q.ready, q.paused_at is None) for q in await tn.queues.list()] == [("mail", 1, False)]
            await tn.queues.resume("mail")
            with pytest.raises(NotFound, match="did you mean mail"):
                await tn.queues.pause("emails")
            await tn.queues.pause("later", new=True)
            assert (await tn.limits.get("key", "a/b")) == (await tn.limits.list(scope="key"))[0]
            assert [type.type for type in await tn.types.list()] == ["a.b", "tools.load"]
            assert (await tn.types.get("a.b")).input_schema == {"type": "object"}
            assert (await tn.groups.set("batch", weight=2, quota=7)).quota == 7
            assert [group.external_id for group in await tn.groups.list()] == ["batch", "default"]
            await tn.groups.delete("batch")
            assert [group.external_id for group in await tn.groups.list()] == ["default"]
            assert [bundle.sha256 for bundle in await tn.bundles.list()] == [SHA]
            assert (await tn.bundles.get(SHA)).manifest["name"] == "tools"
            assert (await tn.status()).ready == 1
            for missing in (tn.workers.get("x"), tn.types.get("x"), tn.limits.get("key", "x"), tn.groups.get("x")):
                with pytest.raises(NotFound):
                    await missing

    asyncio.run(steps())


def test_the_sync_client_has_the_same_collections(way, db: Db):
    an_org_with_one_of_each(db)

    with app.connect_sync(**way) as tn:
        (task,) = tn.tasks(status="queued", queue="mail")
        assert (tn.tasks.get(task.id).type, tn.tasks.count(run_id=task.run_id).count) == (task.type, 1)
        assert (len(tn.tasks.tree(task.id)), tn.tasks.logs(task.id), tn.run(task.run_id).logs()) == (1, [], [])
        assert tn.tasks.why(task.id)
        tn.tasks.cancel(task.id)
        retry = tn.tasks.retry(task.id)
        assert retry.status() == "pending"
        assert [worker.id for worker in tn.workers.list()] == ["w-1"]
        tn.workers.drain("w-1")
        tn.workers.terminate("w-1")
        assert tn.workers.get("w-1").status == "terminated"
        assert len(tn.dispatchers.list()) == 1
        tn.queues.pause("mail")
        tn.queues.resume("mail")
        with pytest.raises(NotFound, match="no queue 'later'"):
            tn.queues.pause("later")
        assert [queue.name for queue in tn.queues.list()] == ["mail"]
        assert tn.limits.get("key", "a/b") == tn.limits.list()[0]
        assert tn.types.get("a.b").type == tn.types.list()[0].type
        assert tn.groups.get("default") == tn.groups.list()[0]
        assert tn.groups.set("batch").weight == 1
        tn.groups.delete("batch")
        assert len(tn.groups.list()) == 1
        assert tn.bundles.get(SHA).id == tn.bundles.list()[0].id
        assert tn.status().workers == {}
        retry.data.put("a", 1)
        assert tn.get_data(retry.data.item("a").id).value == 1


def test_log_lines_of_a_task_and_of_a_run_are_read_page_by_page(way, db: Db):
    run_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    line = {"task_id": str(run_id), "attempt": 1, "logged_at": "2026-01-31T12:00:00Z", "level": "info", "fields": None}
    lines = [{**line, "line_no": no, "message": f"line {no}"} for no in range(1, 1202)]
    for first in range(0, len(lines), 500):
        call(db, "write_logs", **worker.fence, lines=Jsonb(lines[first : first + 500]))

    with app.connect_sync(**way) as tn:
        assert [line.line_no for line in tn.tasks.logs(run_id)] == list(range(1, 1202))
        assert [(line.task, line.line_no) for line in tn.run(run_id).logs()][-2:] == [
            ("app.work", 1200),
            ("app.work", 1201),
        ]


def test_keys_are_created_changed_rotated_and_revoked_by_a_server(way, transport, db: Db):
    with app.connect_sync(**way) as tn:
        if transport == "direct":
            with pytest.raises(BadAddress, match="keys are created by a server, but this client uses the database"):
                _ = tn.keys
            return
        made = tn.keys.create("ci", ["runs:read"], expires="30d")
        key = tn.keys.get(made.id)
        assert (key.name, key.permissions, key.expires_at is None) == ("ci", ["runs:read"], False)
        assert made.key not in repr(made)
        assert made.key not in str(tn.keys.list())
        changed = tn.keys.update(made.id, name="old", active=False, expires="never")
        assert (changed.name, changed.disabled_at is None, changed.expires_at) == ("old", False, None)
        new = tn.keys.rotate(made.id, overlap="1h")
        assert tn.keys.get(made.id).replaced_by == new.id
        assert (tn.keys.revoke(str(new.id)), tn.keys.revoke(new.id)) == (True, False)
        fleet = tn.worker_keys.create("fleet", ["mail"])
        successor = tn.worker_keys.rotate(fleet.id)
        assert tn.worker_keys.get(successor.id).queues == ["mail"]
        assert {key.id for key in tn.worker_keys.list()} == {fleet.id, successor.id}
        assert tn.worker_keys.revoke(fleet.id)
        with pytest.raises(InvalidInput, match="nothing to change"):
            tn.keys.update(made.id)
        with pytest.raises(InvalidInput, match="permissions is the text"):
            tn.keys.create("ci", "runs:read")


def test_a_schedule_is_read_and_changed(way):
    with app.connect_sync(**way) as tn:
        tn.schedules.put("nightly", charge, 1, cron="0 3 * * *")
        changed = tn.schedules.update("nightly", every="2h", jitter="5s", input=[2], metadata={"team": "bi"})
        assert (changed.cron, changed.jitter_seconds, changed.input) == ("@every 2h", 5, [2])
        assert tn.schedules.get("nightly") == changed
        with pytest.raises(InvalidInput, match="schedule nightly: nothing to change"):
            tn.schedules.update("nightly")
        with pytest.raises(NotFound, match="no schedule weekly"):
            tn.schedules.get("weekly")
