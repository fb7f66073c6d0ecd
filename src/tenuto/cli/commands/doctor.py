"""`tenuto doctor`: checks the installation, and says what to do about each problem."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import typer

from tenuto.cli.database import Settings, open_database, read_settings
from tenuto.cli.exit_codes import FAILED
from tenuto.cli.output import AsJson, show
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.db.diagnostics import Diagnostics
    from tenuto.db.install.install import SchemaStatus
    from tenuto.model.maintenance import ParkedCount
    from tenuto.model.monitoring import DispatcherInfo, WorkerStatus

OK, NOTE, WRONG = "ok", "note", "wrong"
ALIVE = timedelta(minutes=1)  # since a dispatcher's last heartbeat, as in get_overview.sql
LONG = 600.0  # seconds that a transaction may stay open before dead rows pile up
BLOATED = 100_000  # dead rows in a hot table, if no vacuum keeps up


@dataclass(frozen=True)
class Check:
    """One line of the report: what was checked, its state, and what to do if it is not ok."""

    name: str
    state: str
    says: str


@dataclass(frozen=True)
class Seen:
    """The facts that the checks use."""

    checkup: "Diagnostics"
    now: datetime
    dispatchers: "list[DispatcherInfo]"
    workers: "list[WorkerStatus]"
    unserved: list[str]  # types of queued tasks that no worker has ever served
    parked: "list[ParkedCount]"


def doctor(as_json: AsJson = False) -> None:
    """Check the installation. Each line shows ok, or a problem and its remedy."""
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.install import install

    settings = read_settings()
    with open_database(settings) as url, explained():
        status = install.status(url)
        checks = [Check("database", OK, f"Postgres {status.server_version} at {status.url}"), schema(status)]
        if status.schema_version and not status.pending:
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


def schema(status: "SchemaStatus") -> Check:
    if status.current:
        return Check("schema", OK, f"version {status.schema_version}, up to date")
    what = (
        f"{len(status.pending)} migrations are missing" if status.pending else "the SQL functions have another version"
    )
    return Check("schema", WRONG if status.pending else NOTE, f"{what}; run `tenuto db migrate`")


def judge(facts: Seen, *, embedded: bool) -> Iterator[Check]:
    """Yields every check but those of the schema and row security."""
    yield roles(facts.checkup)
    yield dispatcher(facts)
    yield worker(facts)
    yield types(facts)
    yield parked(facts)
    yield sandbox(facts)
    yield vacuum(facts.checkup)
    yield transactions(facts.checkup)
    yield durability(facts.checkup)
    yield connections(facts.checkup)
    yield Check("postgres", OK, "embedded, managed by Tenuto" if embedded else "set by TENUTO_DATABASE_URL")


def roles(checkup: "Diagnostics") -> Check:
    if checkup.missing_roles:
        return Check("roles", WRONG, f"{', '.join(checkup.missing_roles)} are missing; run `tenuto db migrate`")
    useful = [role for role in checkup.roles if role in ("tenuto_worker", "tenuto_dispatcher", "tenuto_owner")]
    if not useful:
        cure = f"run `grant tenuto_worker, tenuto_dispatcher to {checkup.login}`"
        return Check("roles", WRONG, f"{checkup.login} cannot act as any of Tenuto's roles; {cure}")
    return Check("roles", OK, f"{checkup.login} can act as {', '.join(useful)}")


def row_security(url: str) -> Check:
    """Checks that a server with this login sees only one org at a time."""
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.connection.process_role import check_bound, choose_role

    try:
        check_bound(url, choose_role(url, "tenuto_api"))
    except MissingRight as problem:
        return Check("row security", NOTE, f"`tenuto server` refuses to start with this login: {problem}")
    return Check("row security", OK, "a server with this login sees the rows of one org at a time")


def dispatcher(facts: Seen) -> Check:
    alive = [process for process in facts.dispatchers if facts.now - process.heartbeat < ALIVE]
    if not alive:
        cure = "start `tenuto dispatcher`, or `tenuto worker` with a login that can act as tenuto_dispatcher"
        what = "none is alive: retries, delays, waits, schedules and lost tasks do not continue"
        return Check("dispatcher", WRONG if alive_workers(facts) else NOTE, f"{what}; {cure}")
    return Check("dispatcher", OK, f"{len(alive)} alive")


def alive_workers(facts: Seen) -> "list[WorkerStatus]":
    return [worker for worker in facts.workers if worker.lease_expires_at and worker.lease_expires_at > facts.now]


def worker(facts: Seen) -> Check:
    alive = alive_workers(facts)
    if not alive:
        return Check("worker", NOTE, "none is alive; start one with `tenuto worker module:app`")
    return Check("worker", OK, f"{len(alive)} alive, {sum(worker.running for worker in alive)} tasks running")


def types(facts: Seen) -> Check:
    if facts.unserved:
        names = ", ".join(facts.unserved[:3]) + (" …" if len(facts.unserved) > 3 else "")
        cure = "start their worker; `tenuto tasks list --status queued --type TYPE` shows the tasks"
        return Check("types", NOTE, f"tasks are queued whose type no worker ever served: {names}; {cure}")
    return Check("types", OK, "every queued task has a type that a worker served")


def parked(facts: Seen) -> Check:
    if facts.parked:
        counts = ", ".join(f"{loop.loop} {loop.parked}" for loop in facts.parked)
        cure = "`tenuto why RUN` shows the error; `tenuto runs cancel RUN` cancels the run"
        return Check("parked", NOTE, f"dispatcher loops fail on rows and retry them: {counts}; {cure}")
    return Check("parked", OK, "no dispatcher loop fails on any row")


def sandbox(facts: Seen) -> Check:
    strengths = {
        worker.id: worker.metadata["sandbox"] for worker in alive_workers(facts) if worker.metadata.get("sandbox")
    }
    if weak := [name for name, strength in strengths.items() if strength != "full"]:
        cure = "start them as root on Linux; docs/howto/untrusted-code.md lists what is not confined"
        return Check("sandbox", NOTE, f"WEAK, on {', '.join(weak[:3])}: untrusted code is not fully confined; {cure}")
    return Check("sandbox", OK, f"{len(strengths)} workers run untrusted code, fully confined")


def vacuum(checkup: "Diagnostics") -> Check:
    worst = max(checkup.hot_tables, key=lambda table: table.dead_rows)
    if checkup.settings.get("autovacuum") != "on" or checkup.settings.get("track_counts") != "on":
        return Check(
            "vacuum", WRONG, "autovacuum or track_counts is off; turn both on, because queues get slow without them"
        )
    if worst.dead_rows > BLOATED:
        cure = f"run `vacuum verbose tenuto.{worst.name}` and check which transaction holds it back"
        return Check("vacuum", WRONG, f"{worst.name} has {worst.dead_rows} dead rows; {cure}")
    if not all(table.may_vacuum for table in checkup.hot_tables):
        cure = f"run `grant tenuto_owner to {checkup.login}` so that the dispatcher can vacuum every 2 s under load"
        return Check("vacuum", NOTE, f"{checkup.login} cannot vacuum the hot tables, so only autovacuum does; {cure}")
    return Check("vacuum", OK, f"the dispatcher can vacuum; most dead rows: {worst.dead_rows} in {worst.name}")


def transactions(checkup: "Diagnostics") -> Check:
    if checkup.oldest_transaction > LONG:
        age = f"{checkup.oldest_transaction:.0f} s"
        return Check(
            "transactions", WRONG, f"one has been open for {age} ({checkup.held_by}) and holds back vacuum; end it"
        )
    return Check("transactions", OK, f"the oldest has been open for {checkup.oldest_transaction:.1f} s")


def durability(checkup: "Diagnostics") -> Check:
    loose = [
        name for name in ("fsync", "synchronous_commit", "full_page_writes") if checkup.settings.get(name) == "off"
    ]
    if loose:
        return Check("durability", WRONG, f"{', '.join(loose)} off: accepted work can be lost; turn it on")
    return Check("durability", OK, "accepted work is on disk")


def connections(checkup: "Diagnostics") -> Check:
    maximum = int(checkup.settings.get("max_connections", "100"))
    if checkup.connections > maximum * 0.8:
        return Check(
            "connections",
            WRONG,
            f"{checkup.connections} of {maximum} are used; raise max_connections or use a connection pooler",
        )
    return Check("connections", OK, f"{checkup.connections} of {maximum} are used")
