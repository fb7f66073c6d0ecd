"""The checks of `tenuto doctor`: each turns facts about the installation into one line of the report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenuto.model.statuses import ALIVE_HEALTH

if TYPE_CHECKING:
    from tenuto.cli.database import Settings
    from tenuto.db.diagnostics import Diagnostics
    from tenuto.db.embedded import ServerFailure
    from tenuto.db.install.install import SchemaStatus
    from tenuto.model.dags import UnservedFunction
    from tenuto.model.installation import Installation
    from tenuto.model.maintenance import ParkedCount
    from tenuto.model.monitoring import DispatcherInfo, IdleOpenRun, WorkerStatus
    from tenuto.model.pools import PoolStatus
    from tenuto.model.queues import BlockedType, UnservedTasks
    from tenuto.model.task_types import RefusedSchema

OK, NOTE, WRONG = "ok", "note", "wrong"
LONG = 600.0  # seconds; a transaction that is open longer is reported, because dead rows pile up
MAX_COUNTED = 1000  # the maximum that list_unserved counts
BLOATED = 100_000  # a hot table with more dead rows is reported, because vacuum does not keep up
LARGE_AUDIT_MEGABYTES = 10_000
MANY_FAILURES = 3  # of the embedded server within an hour
STORAGE_SECONDS = 3.0  # how long to wait for an object store that does not respond

# Abilities of a login with each role.
ABILITIES = {
    "tenuto_owner": "migrate",
    "tenuto_worker": "run workers",
    "tenuto_dispatcher": "run dispatchers",
    "tenuto_client": "start tasks and read runs",
    "tenuto_api": "serve the HTTP API",
    "tenuto_readonly": "read one org",
    "tenuto_backup": "back up",
}


@dataclass(frozen=True)
class Check:
    """One line of the report: what was checked, its state, and what to do if it is not ok."""

    name: str
    state: str
    says: str


@dataclass(frozen=True)
class OrgFacts:
    """The tasks and workers of the org, for the checks."""

    workers: "list[WorkerStatus]"
    unserved: "list[UnservedTasks]"
    unserved_functions: "list[UnservedFunction]"  # that jobs run and no worker alive has
    blocked: "list[BlockedType]"
    dead_effects: int  # side effects that failed for good
    open_runs: "list[IdleOpenRun]"  # without tasks for a day
    pools: "list[PoolStatus]"
    refused_schemas: "list[RefusedSchema]"


@dataclass(frozen=True)
class Facts:
    """The state of the installation, for the checks."""

    checkup: "Diagnostics"
    dispatchers: "list[DispatcherInfo]"
    parked: "list[ParkedCount]"
    org: OrgFacts | None  # None if the login sees no org
    installation: "Installation"


def schema(status: "SchemaStatus") -> Check:
    if status.schema_version == 0:
        return Check("schema", WRONG, "there is none; run `tenuto db migrate`")
    if status.other_tables:
        works = "does not work with them" if status.missing else "works with them"
        says = f"another commit of Tenuto created the tables, and this one {works}; `tenuto db reset` creates new ones"
        return Check("schema", WRONG if status.missing else NOTE, says)
    if status.missing:
        cure = "start the Tenuto that migrated it" if status.newer else "run `tenuto db migrate`"
        return Check("schema", WRONG, f"this Tenuto does not work with version {_version(status)}; {cure}")
    if status.newer:
        return Check("schema", NOTE, f"version {_version(status)}, of a newer Tenuto; this one works with it")
    if not status.current:
        what = f"{len(status.pending)} migrations are missing" if status.pending else "functions have changed"
        return Check("schema", NOTE, f"version {_version(status)}, {what}; run `tenuto db migrate`")
    return Check("schema", OK, f"version {_version(status)}, up to date")


def embedded_server(failures: "list[ServerFailure]") -> Check:
    """Checks that the embedded server has not died or failed to start within the last hour."""
    if not failures:
        return Check("server", OK, "has not died within the last hour")
    times = "once" if len(failures) == 1 else f"{len(failures)} times"
    last = f"{failures[-1].at:%H:%M:%S} UTC: {failures[-1].says}"
    state = WRONG if len(failures) >= MANY_FAILURES else NOTE
    return Check("server", state, f"failed {times} within the last hour, last at {last}")


def defaults(status: "SchemaStatus") -> Check:
    """Checks the settings with which connections of clients begin, such as the isolation level."""
    if status.other_defaults:
        more = f" (and {len(status.other_defaults) - 1} more)" if len(status.other_defaults) > 1 else ""
        return Check("defaults", NOTE, f"{status.other_defaults[0]}{more}")
    return Check("defaults", OK, "connections begin read committed and without short timeouts")


def _version(status: "SchemaStatus") -> str:
    return f"{status.schema_version} ({status.missing[0]})" if status.missing else f"{status.schema_version}"


def run_checks(facts: Facts, *, embedded: bool) -> Iterator[Check]:
    """Yields all checks, except the checks of the schema and of row security."""
    yield roles(facts.checkup)
    yield dispatcher(facts)
    if facts.org is not None:
        yield worker(facts.org)
        yield tasks(facts.org)
        yield jobs(facts.org)
        yield code(facts.org)
        yield dead_letters(facts.org)
        yield open_runs(facts.org)
        yield sandbox(facts.org)
        yield pools(facts.org)
    yield parked(facts)
    yield vacuum(facts.checkup)
    yield transactions(facts.checkup)
    yield durability(facts.checkup)
    yield connections(facts.checkup)
    yield audit_log(facts.checkup)
    yield Check("postgres", OK, "embedded, managed by Tenuto" if embedded else "set by TENUTO_DATABASE_URL")


def pools(facts: OrgFacts) -> Check:
    """Checks that a dispatcher controls each pool, and that the provider of each pool works."""
    for pool in facts.pools:
        if pool.problem is not None:
            return Check("pools", WRONG, f"pool {pool.name}: {pool.problem}; see `tenuto pools explain {pool.name}`")
        if not pool.controlled:
            cure = f"start a dispatcher with --providers that has {pool.provider}"
            return Check("pools", NOTE, f"pool {pool.name} is controlled by no dispatcher: {cure}")
    return Check("pools", OK, f"controlled: {len(facts.pools)}" if facts.pools else "there are none")


def login_only(checkup: "Diagnostics") -> Iterator[Check]:
    """Yields the checks for a login that can call none of the functions that the other checks need."""
    yield roles(checkup)
    yield Check("tasks", NOTE, "this login sees neither tasks nor workers; also run doctor with the login of a worker")
    yield durability(checkup)
    yield connections(checkup)


def roles(checkup: "Diagnostics") -> Check:
    if checkup.missing_roles:
        return Check("roles", WRONG, f"{', '.join(checkup.missing_roles)} are missing; run `tenuto db migrate`")
    able = [f"{ABILITIES[role]} ({role})" for role in ABILITIES if role in checkup.roles]
    if not able:
        cure = f"`tenuto db roles` prints the roles; an administrator grants {checkup.login} the one it needs"
        return Check("roles", WRONG, f"{checkup.login} has none of Tenuto's roles; {cure}")
    return Check("roles", OK, f"{checkup.login} can {', '.join(able)}")


def row_security(url: str) -> Check:
    """Checks that a server with this login can serve, and sees only one org at a time."""
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.connection.process_role import check_bound, choose_role

    try:
        check_bound(url, choose_role(url, "tenuto_api"))
    except MissingRight as problem:
        return Check("row security", NOTE, f"`tenuto server` refuses to start with this login: {problem}")
    return Check("row security", OK, "a server with this login sees the rows of one org at a time")


def dispatcher(facts: Facts) -> Check:
    dead = sum(process.status == "dead" for process in facts.dispatchers)
    alive = len(facts.dispatchers) - dead
    if not alive:
        cure = "start `tenuto dispatcher`, or `tenuto worker` with a login that has tenuto_dispatcher"
        none = f"none is alive{_how_many_dead(dead)}"
        what = f"{none}: retries, delays, waits, schedules and lost tasks do not continue"
        works = facts.org is not None and (alive_workers(facts.org) or facts.org.unserved)
        return Check("dispatcher", WRONG if works else NOTE, f"{what}; {cure}")
    return Check("dispatcher", OK, f"{alive} alive{_how_many_dead(dead)}")


def alive_workers(org: OrgFacts) -> "list[WorkerStatus]":
    return [worker for worker in org.workers if worker.health_status in ALIVE_HEALTH]


def _how_many_dead(dead: int) -> str:
    return f" ({dead} dead)" if dead else ""


def worker(org: OrgFacts) -> Check:
    alive = alive_workers(org)
    dead = _how_many_dead(sum(worker.health_status == "dead" for worker in org.workers))
    if not alive:
        waiting = "tasks wait, and " if org.unserved else ""
        state = WRONG if org.unserved else NOTE
        return Check("worker", state, f"{waiting}none is alive{dead}; start one with `tenuto worker module:app`")
    return Check("worker", OK, f"{len(alive)} alive{dead}, {sum(worker.running for worker in alive)} tasks running")


def tasks(org: OrgFacts) -> Check:
    if org.unserved:
        first = org.unserved[:3]
        counts = [f"{item.tasks}{' or more' if item.tasks == MAX_COUNTED else ''}" for item in first]
        shown = [f"{count} of {item.type} ({item.reason})" for count, item in zip(counts, first, strict=True)]
        more = f" and {len(org.unserved) - 3} more" if len(org.unserved) > 3 else ""
        cure = "start a worker for them; `tenuto tasks list --status queued --type TYPE` shows the tasks"
        return Check("tasks", NOTE, f"queued tasks that no worker alive can take: {', '.join(shown)}{more}; {cure}")
    return Check("tasks", OK, "for every queued task there is a worker that can take it")


def jobs(org: OrgFacts) -> Check:
    for first in org.unserved_functions[:1]:
        job = f"{first.dag}/{first.job}" + (f", and {more} more" if (more := len(org.unserved_functions) - 1) else "")
        return Check("jobs", NOTE, f"{job} cannot run: {first.reason}; start a worker whose app declares it")
    return Check("jobs", OK, "for every function of a job there is a worker that has it")


def code(org: OrgFacts) -> Check:
    if org.blocked:
        first, more = org.blocked[0], len(org.blocked) - 1
        counts = f"{first.tasks} of {first.type}" + (f", and {more} more types" if more else "")
        step = f"step {first.step_no} was {first.expected} and is {first.found}, as in task {first.task_id}"
        cure = "roll back or use ctx.patched (docs/howto/change-running-workflows.md)"
        return Check("code", NOTE, f"tasks wait for other code: {counts}: {step}; {cure}")
    return Check("code", OK, "no task is blocked by a change of its code")


def dead_letters(org: OrgFacts) -> Check:
    if org.dead_effects:
        cure = "`tenuto outbox list --status dead` shows them, `tenuto outbox replay` tries them again"
        what = f"{org.dead_effects} side effects failed for good and are not retried"
        return Check("dead letters", NOTE, f"{what}; {cure}")
    return Check("dead letters", OK, "no side effect failed for good")


def open_runs(org: OrgFacts) -> Check:
    if org.open_runs:
        first, more = org.open_runs[0], len(org.open_runs) - 1
        runs = f"run {first.run_id}" + (f" and {more} more" if more else "")
        return Check("open runs", NOTE, f"{runs} had no tasks for a day; `tenuto runs close {first.run_id}` ends it")
    return Check("open runs", OK, "no open run waits to be closed")


def parked(facts: Facts) -> Check:
    if facts.parked:
        counts = ", ".join(f"{loop.loop} {loop.parked}" for loop in facts.parked)
        cure = "`tenuto why RUN` shows the error; `tenuto runs cancel RUN` cancels the run"
        return Check("parked", NOTE, f"dispatcher loops fail on rows and retry them: {counts}; {cure}")
    return Check("parked", OK, "no dispatcher loop fails on any row")


def sandbox(org: OrgFacts) -> Check:
    strengths = {
        worker.id: worker.metadata["sandbox"] for worker in alive_workers(org) if worker.metadata.get("sandbox")
    }
    if weak := [name for name, strength in strengths.items() if strength != "full"]:
        cure = "start them as root on Linux; docs/howto/untrusted-code.md lists what is not confined"
        return Check("sandbox", NOTE, f"WEAK, on {', '.join(weak[:3])}: untrusted code is not fully confined; {cure}")
    if not strengths:
        return Check("sandbox", OK, "no worker alive runs untrusted code")
    return Check("sandbox", OK, f"{len(strengths)} workers run untrusted code, fully confined")


def vacuum(checkup: "Diagnostics") -> Check:
    worst = max(checkup.hot_tables, key=lambda table: table.dead_rows)
    if checkup.settings.get("autovacuum") != "on" or checkup.settings.get("track_counts") != "on":
        cure = "turn both on, because queues get slow without them"
        return Check("vacuum", WRONG, f"autovacuum or track_counts is off; {cure}")
    if worst.dead_rows > BLOATED:
        cure = f"run `vacuum verbose tenuto.{worst.name}` and check which transaction holds it back"
        return Check("vacuum", WRONG, f"{worst.name} has {worst.dead_rows} dead rows; {cure}")
    if "tenuto_dispatcher" in checkup.roles and not all(table.may_vacuum for table in checkup.hot_tables):
        why = "before Postgres 17 only the owner of a table can vacuum it"
        return Check("vacuum", NOTE, f"dispatchers with this login leave the hot tables to autovacuum: {why}")
    return Check("vacuum", OK, f"most dead rows: {worst.dead_rows} in {worst.name}")


def transactions(checkup: "Diagnostics") -> Check:
    if checkup.oldest_transaction > LONG:
        age = f"{checkup.oldest_transaction:.0f} s"
        held = f"one has been open for {age} ({checkup.held_by}) and holds back vacuum; end it"
        return Check("transactions", WRONG, held)
    return Check("transactions", OK, f"the oldest has been open for {checkup.oldest_transaction:.1f} s")


def storage(settings: "Settings") -> Check:
    """Checks that objects can be stored, listed, read and deleted."""
    from tenuto.model.errors import InvalidInput
    from tenuto.storage import open_store
    from tenuto.storage.base import StorageProblem, try_out

    try:
        store = open_store(settings.storage, retry_seconds=STORAGE_SECONDS)
        try_out(store)
    except (InvalidInput, StorageProblem) as problem:
        if settings.storage_url:
            return Check("storage", WRONG, str(problem))
        return Check("storage", NOTE, f"large data objects cannot be stored here: {problem}")
    alone = settings.storage_url is None and settings.database_url is not None
    where = "; a folder of this machine: set TENUTO_STORAGE if there are others" if alone else ""
    return Check("storage", OK, f"{store.root} can be written and read{where}")


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
        cure = "raise max_connections or use a connection pooler"
        return Check("connections", WRONG, f"{checkup.connections} of {maximum} are used; {cure}")
    return Check("connections", OK, f"{checkup.connections} of {maximum} are used")


def audit_log(checkup: "Diagnostics") -> Check:
    size = f"{checkup.audit_megabytes:,.0f} MB, about {checkup.audit_entries:,} entries"
    if checkup.audit_megabytes > LARGE_AUDIT_MEGABYTES:
        return Check("audit log", NOTE, f"{size}; `tenuto audit prune --keep 365d` deletes old months")
    return Check("audit log", OK, size)
