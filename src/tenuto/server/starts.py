"""From the starts of a request to statements: runs of one kind of task, each of one plain task, go together."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from tenuto.db import starting
from tenuto.db.call import Conn
from tenuto.model.tasks import Started
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.plan import Plan, plan_task, together
from tenuto.sdk.task import Task
from tenuto.sdk.wire import dump
from tenuto.server.bodies import Start

NOT_OPTIONS = {"type", "input", "language"}


def _anything(*args: Any, **kwargs: Any) -> Any:
    """Stands for a function that only workers know."""


def plan_start(body: Start) -> Plan:
    """The plan of a start; types are not checked, since a worker that knows this one may come later."""
    said = {name: value for name, value in body if value is not None and name not in NOT_OPTIONS}
    task = Task[..., Any](body.type, _anything, TaskOptions(language=body.language or "python"))
    args, kwargs = ((), body.input) if isinstance(body.input, dict) else (tuple(body.input), {})
    return plan_task(task.options(**said), args, kwargs)


async def start_all(conn: Conn, *, org_id: UUID, plans: Sequence[Plan]) -> list[Started]:
    """Start what was planned, and answer in the order of the plans; the transaction is the caller's."""
    answers: dict[int, Started] = {}
    for places in _alike(plans):
        one = plans[places[0]]
        statement = together([plans[no] for no in places], org_id) if one.is_plain() else one.statement(org_id)
        answers.update(zip(places, await starting.ask(conn, statement), strict=True))
    return [answers[no] for no in range(len(plans))]


def _alike(plans: Sequence[Plan]) -> list[list[int]]:
    """The places of the plans that one statement can start, those of each statement together."""
    found: dict[object, list[int]] = {}
    for no, plan in enumerate(plans):
        alike = (dump(plan.kinds), plan.run.get("group")) if plan.is_plain() else no
        found.setdefault(alike, []).append(no)
    return list(found.values())
