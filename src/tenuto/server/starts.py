"""From the starts of a request to statements: runs of one kind of task, each of one plain task, go together."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from tenuto.db import runs, starting
from tenuto.db.call import Conn
from tenuto.db.tenants import Acts
from tenuto.model.errors import NotFound
from tenuto.model.tasks import Started
from tenuto.sdk.misspelt import nearest
from tenuto.sdk.plan import Plan, together
from tenuto.sdk.wire import dump
from tenuto.server.bearer import seen
from tenuto.server.desk import Desk
from tenuto.server.start_bodies import Start, StartGraph
from tenuto.server.starter import Alike, Starter


async def start_all(conn: Conn, *, org_id: UUID, plans: Sequence[Plan]) -> list[Started]:
    """Start what was planned, and answer in the order of the plans; the transaction is the caller's."""
    answers: dict[int, Started] = {}
    for places in _alike(plans):
        one = plans[places[0]]
        statement = together([plans[no] for no in places], org_id) if one.is_plain() else one.statement(org_id)
        answers.update(zip(places, await starting.ask(conn, statement), strict=True))
    return [answers[no] for no in range(len(plans))]


def noted(types: str, count: int) -> dict[str, dict[str, Any]]:
    """What the audit log says of a start."""
    return {"type": {"new": types}, "runs": {"new": count}}


async def start_at_once(desk: Desk, acts: Acts, plan: Plan, types: str) -> Started:
    """One start of somebody, their check and the entry in the audit log, all in one call."""
    changes = dump(noted(types, 1))
    org_id = desk.principal.org_id
    # Others may be answered with the run of a dedupe key as soon as they see it: it must be on disk by then.
    if plan.is_plain() and "dedupe_key" not in plan.run:
        alike = Alike(acts, org_id, **desk.who(), kinds=dump(plan.kinds), group=plan.run.get("group"), changes=changes)
        starter: Starter = desk.request.app.state.starter
        return Started(await starter.start(alike, plan, seen(desk.request)), created=True)
    entry = {"entity": "run", "action": "start", "changes": changes, **desk.actor()}
    async with desk.pool.connection(timeout=desk.settings.statement_seconds, org_id=org_id) as conn:
        (started,) = await starting.ask_as(acts.on(conn), plan.statement(org_id), entry)
    return started


def types_of(bodies: Sequence[Start | StartGraph]) -> list[str]:
    """The types that are started, each once."""
    found = {
        one.type for body in bodies for one in (body.graph.tasks.values() if isinstance(body, StartGraph) else (body,))
    }
    return sorted(found)


async def check_known(conn: Conn, *, org_id: UUID, types: list[str]) -> None:
    """Refuse types that nobody has ever served."""
    if unknown := await runs.unknown_types(conn, org_id=org_id, types=types):
        near = nearest(unknown[0], await runs.list_types(conn, org_id=org_id))
        otherwise = "correct it, start its worker first, or leave out strict"
        hint = f"did you mean {near!r}? If not, start its worker first, or leave out strict" if near else otherwise
        raise NotFound(f"no worker has ever served the type {unknown[0]!r}", hint)


def _alike(plans: Sequence[Plan]) -> list[list[int]]:
    """The places of the plans that one statement can start, those of each statement together."""
    found: dict[object, list[int]] = {}
    for no, plan in enumerate(plans):
        alike = (dump(plan.kinds), plan.run.get("group")) if plan.is_plain() else no
        found.setdefault(alike, []).append(no)
    return list(found.values())
