"""Starts by name without the code of the task, runs found by their dedupe keys, and options that are None."""

import asyncio

import pytest

from tenuto import App, InvalidInput, NotFound
from tenuto.sdk.task_reference import declare
from tenuto.testing.inline import InlineWorker
from tests.support.database.tasks import a_worker, call, task

shop, web = App("shop"), App("web")


@shop.task(queue="bank", max_attempts=7, priority=4)
def charge(order_id: int, amount: float = 1.0) -> dict[str, float]:
    return {str(order_id): amount}


@web.task
def page(path: str) -> str:
    return path


def work(database: str) -> int:
    async def all_of_it() -> int:
        async with shop.connect(database) as tn:
            return await InlineWorker(tn.direct, shop).work(most=10)

    return asyncio.run(all_of_it())


def test_a_task_of_another_program_is_started_by_its_name_with_its_declared_options(way, database, db):
    call(db, "declare_types", **a_worker(db, queues=["bank"]).fence, types=declare(shop.tasks))
    with web.connect_sync(**way) as tn:
        run = tn.start("shop.charge", 3, 2.5)
        named = tn.start("shop.charge", order_id=4, priority=9)
        rows = [task(db, each.id) for each in (run, named)]
        assert work(database) == 2

        assert [(row["queue"], row["priority"], row["max_attempts"]) for row in rows] == [
            ("bank", 4, 7),
            ("bank", 9, 7),
        ]
        assert (run.result(timeout=60), named.result(timeout=60)) == ({"3": 2.5}, {"4": 1.0})


def test_an_async_client_and_one_without_an_app_start_by_name_too(way, database):
    from tenuto import connect

    async def steps() -> tuple[str, str]:
        async with web.connect(**way) as tn, connect(**way) as plain:
            runs = await tn.start("shop.charge", 3), await plain.start("shop.charge", 3)
            return await runs[0].status(), await runs[1].status()

    assert asyncio.run(steps()) == ("pending", "pending")


def test_a_name_that_cannot_be_meant_is_refused(way):
    with web.connect_sync(**way) as tn:
        assert tn.start("page", "/").created
        with pytest.raises(NotFound, match=r"app 'web' has no task 'web.pge'; did you mean 'web.page'"):
            tn.start("web.pge", "/")
        with pytest.raises(InvalidInput, match=r"'.x' is not the name of a task; write its app and function"):
            tn.start(".x")


def test_a_run_is_found_by_its_dedupe_key(way, database):
    with web.connect_sync(**way) as tn:
        run = tn.start(page, "/", dedupe_key="k")
        graph = tn.graph("nightly")
        graph.add(page, "/a")
        graph.add(page, "/b")
        nightly = tn.start(graph, dedupe_key="k")

        found, by_name = tn.find(page, dedupe_key="k"), tn.find("web.page", dedupe_key="k")
        assert found is not None
        assert by_name is not None
        assert (found.id, by_name.id, found.status()) == (run.id, run.id, "pending")
        assert getattr(tn.find(name="nightly", dedupe_key="k"), "id", None) == nightly.id
        assert tn.find(page, dedupe_key="other") is None
        assert tn.find("shop.charge", dedupe_key="k") is None
        with pytest.raises(InvalidInput, match=r"find\(dedupe_key='k'\) without a task"):
            tn.find(dedupe_key="k")


def test_an_option_that_is_none_is_not_set(way, db):
    unset = App("unset")

    @unset.task(timeout=None, queue=None, cron=None, retry=None, limit=None)  # type: ignore[arg-type]
    def send(to: str) -> None: ...

    none = dict.fromkeys(("delay", "available_at", "priority", "dedupe_key", "queue", "metadata", "timeout", "name"))
    with unset.connect_sync(**way) as tn:
        runs = [
            tn.start(send, "a", **none, connection=None),
            tn.start(send.options(queue="mail").options(queue=None), "a"),  # type: ignore[arg-type]
            tn.start("unset.send", "a", **none),
            *tn.start_many(send, ["a"], queue=None, dedupe_keys=None),
        ]
        assert [task(db, run.id)["queue"] for run in runs] == ["default", "mail", "default", "default"]
