"""`tenuto doctor`: checks the installation, and says what to do about each problem."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tenuto.cli.adopt import check_installation
from tenuto.cli.database import Settings, open_database, read_settings
from tenuto.cli.exit_codes import FAILED
from tenuto.cli.health_checks import (
    NOTE,
    OK,
    WRONG,
    Check,
    Facts,
    OrgFacts,
    defaults,
    embedded_server,
    login_only,
    row_security,
    run_checks,
    schema,
    storage,
)
from tenuto.cli.output import AsJson, counted, show
from tenuto.model.text import one_line

if TYPE_CHECKING:
    from tenuto.db.connection.call import Conn
    from tenuto.db.diagnostics import Diagnostics

MAX_FOLDERS = 5  # folders of deleted homes that the report names


def doctor(as_json: AsJson = False) -> None:
    """Check the installation. Each line shows ok, or a problem and its remedy."""
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.errors import ServerFailed

    settings = read_settings()
    try:
        with open_database(settings) as url, explained():
            checks = [*_examine(url, settings), *_embedded(settings), *_abandoned(settings)]
    except ServerFailed as problem:
        checks = [Check("database", WRONG, str(problem)), *_embedded(settings)]
    text = "\n".join(f"{check.state:<5}  {check.name:<12}  {one_line(check.says)}" for check in checks)
    show({"checks": checks}, text, as_json=as_json)
    if any(check.state == WRONG for check in checks):
        raise typer.Exit(FAILED)


def _examine(url: str, settings: Settings) -> list[Check]:
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.install import install

    try:
        status = install.status(url)
    except MissingRight as problem:
        return [Check("roles", WRONG, str(problem))]
    checks = [Check("database", OK, f"Postgres {status.server_version} at {status.url}"), schema(status)]
    if status.schema_version:
        checks.append(defaults(status))
    if status.schema_version and not status.missing:
        try:
            facts = asyncio.run(_collect_facts(url, settings))
        except MissingRight:  # such as the login for backups, which calls no functions
            return [*checks, *login_only(asyncio.run(_look_at_login(url)))]
        if {"tenuto_api", "tenuto_owner"} & set(facts.checkup.roles):
            checks.append(row_security(url))
        checks += [
            check_installation(facts.installation),
            *run_checks(facts, embedded=settings.database_url is None),
            storage(settings),
        ]
        checks += [_schemas(facts.org)] if facts.org is not None else []
    return checks


def _schemas(org: OrgFacts) -> Check:
    """Checks that the server can check the inputs of all types against the schemas that workers declared."""
    if org.refused_schemas:
        first, more = org.refused_schemas[0], len(org.refused_schemas) - 1
        types = first.type + (f" and {more} more" if more else "")
        why = f"worker {first.declared_by} declared a schema that was refused: {first.schema_problem}"
        return Check("schemas", NOTE, f"the server does not check inputs of {types}: {why}")
    return Check("schemas", OK, "no declared schema was refused")


def _embedded(settings: Settings) -> list[Check]:
    if settings.database_url is not None:
        return []
    from tenuto.db import embedded

    return [embedded_server(embedded.status(settings.home).failures)]


def _abandoned(settings: Settings) -> list[Check]:
    from tenuto.db.embedded.abandoned import list_abandoned
    from tenuto.db.embedded.homes import list_homes

    gone = [home.home for home in list_homes(settings.data_folder) if home.gone]
    return [*_old_data("homes", list_abandoned()), *_old_data("projects", gone)]


def _old_data(of: str, folders: list[Path]) -> list[Check]:
    if not folders:
        return []
    shown = ", ".join(map(str, folders[:MAX_FOLDERS])) + (" …" if len(folders) > MAX_FOLDERS else "")
    says = f"{counted(len(folders), 'folder')} with data of {of} that are gone: {shown}; delete what you do not need"
    return [Check("old data", NOTE, says)]


async def _collect_facts(url: str, settings: Settings) -> Facts:
    from tenuto.db import installation, monitoring
    from tenuto.db.connection.pool import open_pool
    from tenuto.db.diagnostics import check_up

    async with open_pool(url, size=1) as pool, pool.connection() as conn:
        return Facts(
            await check_up(conn),
            await monitoring.list_dispatchers(conn),
            await monitoring.count_parked(conn),
            await _look_at_org(conn, settings.org),
            await installation.get_installation(conn, installation=settings.installation, store=_store_of(settings)),
        )


def _store_of(settings: Settings) -> str | None:
    """Returns the URI of the object store; None if TENUTO_STORAGE is wrong, which another check reports."""
    from tenuto.model.errors import InvalidInput
    from tenuto.storage import open_store

    try:
        return open_store(settings.storage).root
    except InvalidInput:
        return None


async def _look_at_login(url: str) -> "Diagnostics":
    from tenuto.db.connection.pool import open_pool
    from tenuto.db.diagnostics import check_up

    async with open_pool(url, size=1) as pool, pool.connection() as conn:
        return await check_up(conn)


async def _look_at_org(conn: "Conn", slug: str) -> OrgFacts | None:
    from tenuto.db import dags, monitoring, orgs, pools, task_types
    from tenuto.model.errors import NotFound

    try:
        org_id = await orgs.find_org(conn, slug=slug)
    except NotFound:
        if await orgs.list_orgs(conn, limit=1):
            raise
        return None
    return OrgFacts(
        await monitoring.list_workers(conn, org_id=org_id, limit=200),
        await monitoring.list_unserved(conn, org_id=org_id),
        await dags.list_unserved_functions(conn, org_id=org_id),
        await monitoring.list_blocked(conn, org_id=org_id),
        (await monitoring.get_overview(conn, org_id=org_id)).outbox_dead,
        await monitoring.list_open_runs(conn, org_id=org_id),
        await pools.list_pools(conn, org_id=org_id, limit=200),
        await task_types.list_refused_schemas(conn, org_id=org_id),
    )
