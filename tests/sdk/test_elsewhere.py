"""Tasks started by their type alone are what a start with their app would make of them."""

import asyncio
from typing import Any
from uuid import UUID

import psycopg
import pytest

from tenuto import App, Exponential, Limit, Rate
from tenuto.sdk.client.start_request import build_task_start
from tenuto.sdk.task_reference import TaskReference, declare
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, task

app = App("shop")
app.queue_limit("mail", 4)


@app.task(queue="mail", priority=3, max_attempts=9, timeout="30s", retry=Exponential(base="7s"), labels=["gpu=1"])
def send(to: str) -> None: ...


@app.task(limit=[Limit(2, key="customer"), Limit(5, name="all")], rate=Rate("10/m", key="customer"))
def bill(amount: float, customer: str | int = "nobody", *, why: str = "") -> None: ...


SHOWN = ("queue", "priority", "max_attempts", "timeout_seconds", "labels", "limits")
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (send, ("ada",), {}),
    (bill, (1.5, "ada"), {}),
    (bill, (1.5, 7), {}),
    (bill, (1.5,), {}),
    (bill, (), {"customer": "ädä " * 100, "amount": 2}),
    (bill.options(queue="mail", max_attempts=1), (1, 8), {}),
]


@pytest.mark.parametrize("no", range(len(CALLS)))
def test_a_start_by_type_makes_the_task_that_a_start_with_the_app_makes(db: psycopg.Connection, no: int) -> None:
    call(db, "declare_types", **a_worker(db).fence, types=declare(app.tasks))
    known, args, kwargs = CALLS[no]

    made = [
        start(db, known, args, kwargs),
        start(db, TaskReference(known.name).options(**known.start_options), args, kwargs),
    ]

    assert made[0]["limits"] is not None
    assert made[0] == made[1]


def start(db: psycopg.Connection, of: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    text, values = build_task_start(of, args, kwargs).statement(DEFAULT_ORG)
    row = db.execute(text.encode(), values).fetchone()
    assert row is not None
    found = task(db, row[0])
    backoff = db.execute("select backoff_seconds from tenuto.tasks where id = %s", [row[0]]).fetchone()
    return {**{name: found[name] for name in SHOWN}, "backoff": backoff}


def test_an_app_at_hand_is_not_overruled_by_what_workers_declare(db: psycopg.Connection, way: dict[str, str]) -> None:
    call(db, "declare_types", **a_worker(db).fence, types={"near.plain": {"kind": {"max_attempts": 9}}})
    near = App("near")

    @near.task
    def plain() -> None: ...

    async def steps() -> list[UUID]:
        async with near.connect(**way) as tn:
            return [(await tn.start(plain)).id, *[run.id for run in await tn.start_many(plain, [()])]]

    assert [task(db, id)["max_attempts"] for id in asyncio.run(steps())] == [3, 3]
