"""Starts the runs of a request in as few statements as possible: single-task runs of the same type share one
statement."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenuto.db import runs
from tenuto.db.connection import start_statements
from tenuto.db.connection.call import Conn
from tenuto.db.connection.org_transactions import Actor
from tenuto.model.errors import NotFound
from tenuto.model.tasks import Started
from tenuto.sdk.client.start_request import StartRequest, together
from tenuto.sdk.suggestions import nearest
from tenuto.sdk.values.wire_format import dump
from tenuto.server.auth.bearer import request_origin
from tenuto.server.http.request import count_values
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.starts import StartGraphRequest, StartTaskRequest
from tenuto.server.starts.batcher import BatchKey
from tenuto.server.starts.build import StartBuilder

# Per statement. Postgres takes about 500 bytes for a small value of an input, and frees them after the statement.
MAX_VALUES = 50_000
MAX_CHARACTERS = 2_000_000


@dataclass(frozen=True)
class Planned:
    """The start requests of one HTTP request; `strict` are the types that a worker must have served before."""

    plans: list[StartRequest]
    types: str
    strict: list[str]


def plan_all(bodies: Iterable[StartTaskRequest | StartGraphRequest]) -> Planned:
    """Build a start request from each body as it is read, and keep nothing else of the body."""
    planner = StartBuilder()
    plans: list[StartRequest] = []
    types: set[str] = set()
    strict: set[str] = set()
    for body in bodies:
        plans.append(planner.plan(body))
        body_types = _types_of(body)
        types |= body_types
        if body.strict:
            strict |= body_types
    return Planned(plans, ", ".join(sorted(types)[:20]), sorted(strict))


async def start_all(conn: Conn, *, org_id: UUID, plans: Sequence[StartRequest]) -> list[Started]:
    """Start all runs; returns the results in the order of `plans`. The caller owns the transaction."""
    results: dict[int, Started] = {}
    for places in _statements(plans):
        first = plans[places[0]]
        statement = together([plans[no] for no in places], org_id) if first.is_plain() else first.statement(org_id)
        results.update(zip(places, await start_statements.execute_start(conn, statement), strict=True))
    return [results[no] for no in range(len(plans))]


def noted(types: str, count: int) -> dict[str, dict[str, Any]]:
    """Returns the changes of a start for the audit log."""
    return {"type": {"new": types}, "runs": {"new": count}}


async def start_one(api_request: ApiRequest, acts: Actor, plan: StartRequest, types: str) -> Started:
    """Start one run: the credential check, the start and the audit entry are one SQL call."""
    changes = dump(noted(types, 1))
    org_id = api_request.principal.org_id
    # Other requests may get the run of a dedupe key as soon as they see it, so it must be on disk by then.
    if plan.is_plain() and "dedupe_key" not in plan.run:
        alike = BatchKey(
            acts, org_id, **api_request.who(), kinds=dump(plan.kinds), group=plan.run.get("group"), changes=changes
        )
        batcher = api_request.http.server.start_batcher
        return Started(await batcher.start(alike, plan, request_origin(api_request.http)), created=True)
    entry = {"entity": "run", "action": "start", "changes": changes, **api_request.actor()}
    async with api_request.pool.connection(timeout=api_request.settings.statement_seconds, org_id=org_id) as conn:
        (started,) = await start_statements.ask_as(acts.on(conn), plan.statement(org_id), entry)
    return started


def _types_of(body: StartTaskRequest | StartGraphRequest) -> set[str]:
    return {task.type for task in body.graph.tasks.values()} if isinstance(body, StartGraphRequest) else {body.type}


async def check_known(conn: Conn, *, org_id: UUID, types: list[str]) -> None:
    """Refuse types that no worker has ever served."""
    if unknown := await runs.list_unknown_types(conn, org_id=org_id, types=types):
        near = nearest(unknown[0], await runs.list_types(conn, org_id=org_id))
        otherwise = "correct it, start its worker first, or leave out strict"
        hint = f"did you mean {near!r}? If not, start its worker first, or leave out strict" if near else otherwise
        raise NotFound(f"no worker has ever served the type {unknown[0]!r}", hint)


def _alike(plans: Sequence[StartRequest]) -> list[list[int]]:
    """Groups the indexes of plans that one statement can start."""
    groups: dict[object, list[int]] = {}
    for no, plan in enumerate(plans):
        alike = (dump(plan.kinds), plan.run.get("group")) if plan.is_plain() else no
        groups.setdefault(alike, []).append(no)
    return list(groups.values())


def _statements(plans: Sequence[StartRequest]) -> Iterator[list[int]]:
    """Yields the indexes of the plans for each statement: alike, and small enough for Postgres to use little memory."""
    for places in _alike(plans):
        parts = list(_parts(plans, places))
        if len(parts) > 1 and any("dedupe_key" in plans[no].run for no in places):
            # One statement locks its dedupe keys in this order, and so must several, or two requests could deadlock.
            places.sort(key=lambda no: plans[no].run.get("dedupe_key", ""))
            parts = list(_parts(plans, places))
        yield from parts


def _parts(plans: Sequence[StartRequest], places: Sequence[int]) -> Iterator[list[int]]:
    part: list[int] = []
    values = characters = 0
    for no in places:
        own = sum(map(count_values, plans[no].inputs))
        size = sum(map(len, plans[no].inputs))
        if part and (values + own > MAX_VALUES or characters + size > MAX_CHARACTERS):
            yield part
            part, values, characters = [], 0, 0
        part.append(no)
        values, characters = values + own, characters + size
    yield part
