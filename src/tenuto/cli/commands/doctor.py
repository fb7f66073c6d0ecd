"""`tenuto doctor`: is everything set up, and what to do where it is not."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import typer

from tenuto.cli.database import open_database
from tenuto.cli.exit_codes import FAILED
from tenuto.cli.output import Json, show
from tenuto.cli.settings import Settings, read_settings
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.db.diagnostics import Diagnostics
    from tenuto.db.install.install import SchemaStatus
    from tenuto.model.maintenance import ParkedCount
    from tenuto.model.monitoring import DispatcherInfo, WorkerStatus

OK, NOTE, WRONG = "ok", "note", "wrong"
ALIVE = timedelta(minutes=1)  # since a dispatcher's last beat, as get_overview.sql counts them
LONG = 600.0  # seconds a transaction may be open before dead rows pile up
BLOATED = 100_000  # dead rows in a hot table that nobody vacuums


@dataclass(frozen=True)
class Check:
    """One line: what was looked at, how it is, and what to do unless it is ok."""

    name: str
    state: str
    says: str


@dataclass(frozen=True)
class Seen:
    """What there is to judge."""

    checkup: "Diagnostics"
    now: datetime
    dispatchers: "list[DispatcherInfo]"
    workers: "list[WorkerStatus]"
    unserved: list[str]  # types that tasks are queued for and no worker ever served
    parked: "list[ParkedCount]"


def doctor(as_json: Json = False) -> None:
    """Check the set-up: each line says ok, or what to do."""
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.install import install

    settings = read_settings()
    with open_database(settings) as url, explained():
        found = install.status(url)
        checks = [Check("database", OK, f"Postgres {found.server_version} at {found.url}"), schema(found)]
        if found.schema_version and not found.pending:
            checks.append(row_security(url))
            checks += judge(asyncio.run(_look(url, settings)), embedded=settings.database_url is None)
    text = "\n".join(f"{check.state:<5}  {check.name:<12}  {one_line(check.says)}" for check in checks)
    show({"checks": checks}, text, as_json=as_json)
    if any(check.state == WRONG for check in checks):
        raise typer.Exit(FAILED)


async def _look(url: str, settings: Settings) -> Seen:
    from tenuto.db import identity, maintenance, monitoring, runs
    from tenuto.db.connection.pool import open_pool
    from tenuto.db.diagnostics import check_up

    async with open_pool(url, size=1) as pool, pool.connection() as conn:
        org_id = await identity.find_org(conn, slug=settings.org)
        queued = await monitoring.list_tasks(conn, org_id=org_id, status="queued", limit=200)
        return Seen(
            await check_up(conn),
            await maintenance.now(conn),
            await monitoring.list_dispatchers(conn),
            await monitoring.list_workers(conn, org_id=org_id, status="active", limit=200),
            await runs.list_unknown_types(conn, org_id=org_id, types=sorted({task.type for task in queued})),
            await monitoring.count_parked(conn),
        )


def schema(found: "SchemaStatus") -> Check:
    if found.current:
        return Check("schema", OK, f"version {found.schema_version}, up to date")
    what = f"{len(found.pending)} migrations are missing" if found.pending else "its functions are of another version"
    return Check("schema", WRONG if found.pending else NOTE, f"{what}; run `tenuto db migrate`")


def judge(seen: Seen, *, embedded: bool) -> Iterator[Check]:
    """Everything but the schema."""
    yield roles(seen.checkup)
    yield dispatcher(seen)
    yield worker(seen)
    yield types(seen)
    yield parked(seen)
    yield sandbox(seen)
    yield vacuum(seen.checkup)
    yield transactions(seen.checkup)
    yield durability(seen.checkup)
    yield connections(seen.checkup)
    yield Check("postgres", OK, "embedded, kept by Tenuto" if embedded else "named by TENUTO_DATABASE_URL")


def roles(checkup: "Diagnostics") -> Check:
    if checkup.missing_roles:
        return Check("roles", WRONG, f"{', '.join(checkup.missing_roles)} are missing; run `tenuto db migrate`")
    useful = [role for role in checkup.roles if role in ("tenuto_worker", "tenuto_dispatcher", "tenuto_owner")]
    if not useful:
        cure = f"run `grant tenuto_worker, tenuto_dispatcher to {checkup.login}`"
        return Check("roles", WRONG, f"{checkup.login} may act as none of Tenuto's roles; {cure}")
    return Check("roles", OK, f"{checkup.login} may act as {', '.join(useful)}")


def row_security(url: str) -> Check:
    """Whether a server with this login sees one org at a time."""
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.connection.process_role import check_bound, choose_role

    try:
        check_bound(url, choose_role(url, "tenuto_api"))
    except MissingRight as problem:
        return Check("row security", NOTE, f"`tenuto server` refuses to start with this login: {problem}")
    return Check("row security", OK, "a server with this login sees the rows of one org at a time")


def dispatcher(seen: Seen) -> Check:
    alive = [one for one in seen.dispatchers if seen.now - one.heartbeat < ALIVE]
    if not alive:
        cure = "start `tenuto dispatcher`, or `tenuto up` or `tenuto worker` with a login that may act as one"
        what = "none is alive: retries, delays, waits and cron do not go on, nor are lost tasks taken back"
        return Check("dispatcher", WRONG if alive_workers(seen) else NOTE, f"{what}; {cure}")
    return Check("dispatcher", OK, f"{len(alive)} alive")


def alive_workers(seen: Seen) -> "list[WorkerStatus]":
    return [one for one in seen.workers if one.lease_expires_at and one.lease_expires_at > seen.now]


def worker(seen: Seen) -> Check:
    alive = alive_workers(seen)
    if not alive:
        return Check("worker", NOTE, "none is alive; start one with `tenuto worker module:app`")
    return Check("worker", OK, f"{len(alive)} alive, {sum(one.running for one in alive)} tasks running")


def types(seen: Seen) -> Check:
    if seen.unserved:
        names = ", ".join(seen.unserved[:3]) + (" …" if len(seen.unserved) > 3 else "")
        cure = "start their worker; `tenuto tasks list --status queued --type TYPE` shows the tasks"
        return Check("types", NOTE, f"tasks are queued that no worker ever served: {names}; {cure}")
    return Check("types", OK, "no task is queued that no worker ever served")


def parked(seen: Seen) -> Check:
    if seen.parked:
        counts = ", ".join(f"{one.loop} {one.parked}" for one in seen.parked)
        cure = "`tenuto why RUN` shows the error; `tenuto runs cancel RUN` ends it"
        return Check("parked", NOTE, f"rows that a dispatcher loop fails on and tries again: {counts}; {cure}")
    return Check("parked", OK, "no dispatcher loop fails on a row")


def sandbox(seen: Seen) -> Check:
    strengths = {one.id: one.metadata["sandbox"] for one in alive_workers(seen) if one.metadata.get("sandbox")}
    if weak := [name for name, strength in strengths.items() if strength != "full"]:
        cure = "start them as root on Linux; docs/howto/untrusted-code.md says what is left open"
        return Check("sandbox", NOTE, f"WEAK, on {', '.join(weak[:3])}: untrusted code is not fully confined; {cure}")
    return Check("sandbox", OK, f"{len(strengths)} workers run untrusted code, fully confined")


def vacuum(checkup: "Diagnostics") -> Check:
    worst = max(checkup.hot_tables, key=lambda one: one.dead_rows)
    if checkup.settings.get("autovacuum") != "on" or checkup.settings.get("track_counts") != "on":
        return Check("vacuum", WRONG, "autovacuum or track_counts is off; turn both on, or queues get slow")
    if worst.dead_rows > BLOATED:
        cure = f"run `vacuum tenuto.{worst.name}` and see what holds it back"
        return Check("vacuum", WRONG, f"{worst.name} has {worst.dead_rows} dead rows; {cure}")
    if not all(one.may_vacuum for one in checkup.hot_tables):
        cure = f"run `grant tenuto_owner to {checkup.login}` to let the dispatcher do it every 2 s under load"
        return Check("vacuum", NOTE, f"{checkup.login} may not vacuum the hot tables, autovacuum does alone; {cure}")
    return Check("vacuum", OK, f"the dispatcher may vacuum; most dead rows: {worst.dead_rows} in {worst.name}")


def transactions(checkup: "Diagnostics") -> Check:
    if checkup.oldest_transaction > LONG:
        age = f"{checkup.oldest_transaction:.0f} s"
        return Check("transactions", WRONG, f"one is open for {age} ({checkup.held_by}) and holds back vacuum; end it")
    return Check("transactions", OK, f"the oldest is open for {checkup.oldest_transaction:.1f} s")


def durability(checkup: "Diagnostics") -> Check:
    loose = [
        name for name in ("fsync", "synchronous_commit", "full_page_writes") if checkup.settings.get(name) == "off"
    ]
    if loose:
        return Check("durability", WRONG, f"{', '.join(loose)} off: accepted work can be lost; turn it on")
    return Check("durability", OK, "what is accepted is on disk")


def connections(checkup: "Diagnostics") -> Check:
    most: Any = int(checkup.settings.get("max_connections", "100"))
    if checkup.connections > most * 0.8:
        return Check(
            "connections", WRONG, f"{checkup.connections} of {most} are used; raise max_connections or pool them"
        )
    return Check("connections", OK, f"{checkup.connections} of {most} are used")
