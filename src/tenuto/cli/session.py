"""Runs the work of a command: over HTTP if TENUTO_URL or --url names a server, else on the database."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, TypeVar
from uuid import UUID

import typer

from tenuto.cli.database import SERVER_URL, Settings, read_settings, ready_database
from tenuto.cli.exit_codes import UsageError
from tenuto.model.os_user import os_user

if TYPE_CHECKING:
    from tenuto.db.connection.pool import ConnectionPool
    from tenuto.sdk.client.http_client import Http
    from tenuto.sdk.operations.base import Operations

T = TypeVar("T")

PREFIX = re.compile(r"[0-9a-f]{4,31}")  # the beginning of an id, without hyphens
MAX_CANDIDATES = 5  # ids that are shown if several begin with the same text
RETRY_SECONDS = 5.0  # how long to retry while a server does not respond

RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, or its beginning.", show_default=False)]


@dataclass(frozen=True)
class CommandContext:
    """The settings, database, role, pool and org of a command."""

    settings: Settings
    url: str
    role: str | None
    pool: "ConnectionPool"
    org_id: UUID


def with_tenuto(
    work: "Callable[[Operations], Awaitable[T]]", *, role: str = "tenuto_worker", org: str | None = None
) -> T:
    """Run `work` with the server or the database and return its result: `with_tenuto(lambda tenuto:
    tenuto.get_run(run_id))`. A database that is set takes precedence over a server, as in `app.connect()`.

    On the database, the command acts as `role` if its login can switch to this role, and `org` overrides TENUTO_ORG.
    Over HTTP, the API key determines both.
    """
    if read_settings().server is None:
        return with_database(lambda context: work(_operations(context)), role=role, org=org)
    from tenuto.sdk.operations.http import HttpOperations

    return with_server(lambda http: work(HttpOperations(http)), org=org)


def with_server(work: "Callable[[Http], Awaitable[T]]", *, org: str | None = None) -> T:
    """Run `work` with the server that TENUTO_URL or --url names, and return its result."""
    settings = read_settings()
    return asyncio.run(_over_http(work, settings.server or "", settings.api_key, org))


async def _over_http(work: "Callable[[Http], Awaitable[T]]", url: str, key: str | None, org: str | None) -> T:
    from tenuto.sdk.connect import open_http

    write = "--url " if SERVER_URL.get() else "TENUTO_URL="
    http = open_http(url, key, write=write, org=org, retry_seconds=RETRY_SECONDS)
    try:
        return await work(http)
    finally:
        await http.close()


def _operations(context: CommandContext) -> "Operations":
    from tenuto.sdk.operations.sql import SqlOperations
    from tenuto.storage import open_store

    store = open_store(context.settings.storage)
    return SqlOperations(
        context.pool, context.org_id, store, url=context.url, installation=context.settings.installation
    )


def with_database(
    work: Callable[[CommandContext], Awaitable[T]], *, role: str = "tenuto_worker", org: str | None = None
) -> T:
    """Run `work` with the database and return its result. The command acts as `role` if its login can switch to this
    role.

    `org` overrides TENUTO_ORG.
    """
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.process_role import choose_role

    settings = read_settings()
    if org is not None:
        settings = replace(settings, org=org)
    with explained(role=role), ready_database(settings) as url:
        return asyncio.run(_run_on_database(work, settings, url, choose_role(url, role)))


async def _run_on_database(
    work: Callable[[CommandContext], Awaitable[T]], settings: Settings, url: str, role: str | None
) -> T:
    from tenuto.db import orgs
    from tenuto.db.connection.pool import open_pool

    async with open_pool(url, role=role, application=f"tenuto command line of {os_user()}") as pool:
        org_id = await pool.call(orgs.find_org, slug=settings.org)
        return await work(CommandContext(settings, url, role, pool, org_id))


def is_id(text: str) -> bool:
    """Whether a text can be the id of a run or task, or the beginning of such an id."""
    digits = text.replace("-", "").lower()
    return PREFIX.fullmatch(digits) is not None or len(digits) == 32


def read_id(text: str, what: str) -> UUID:
    """Parses an id. For a run or task, the beginning of its id is enough, if no other id begins with it."""
    try:
        return UUID(text)
    except ValueError:
        digits = text.replace("-", "").lower()
        if what in ("run", "task") and PREFIX.fullmatch(digits):
            return _find_id(text, digits, what)
        raise UsageError(f"{text!r} is not the id of a {what}; `tenuto {what}s list` shows full ids") from None


def _find_id(text: str, digits: str, what: str) -> UUID:
    found = with_tenuto(lambda tenuto: _ids_that_begin(tenuto, digits, what))
    if not found:
        raise UsageError(f"no {what} has an id that begins with {text!r}; `tenuto {what}s list` shows full ids")
    if len(found) > 1:
        more = ", …" if len(found) > MAX_CANDIDATES else ""
        named = ", ".join(map(str, found[:MAX_CANDIDATES]))
        raise UsageError(f"{text!r} is the beginning of several ids: {named}{more}; write more of it")
    return found[0]


async def _ids_that_begin(tenuto: "Operations", digits: str, what: str) -> list[UUID]:
    """Return the newest ids that begin with these digits. Lists have the largest id first, so this one starts just
    below the smallest id that is larger than all matching ids."""
    from tenuto.model.filters import RunListFilter, TaskListFilter

    after_all, limit = int(digits.ljust(32, "f"), 16) + 1, MAX_CANDIDATES + 1
    before = UUID(int=after_all) if after_all < 1 << 128 else None
    if what == "run":
        ids = [run.id for run in await tenuto.list_runs(RunListFilter(), before=before, limit=limit)]
    else:
        ids = [task.id for task in await tenuto.list_tasks(TaskListFilter(), before=before, limit=limit)]
    return [id for id in ids if id.hex.startswith(digits)]


def read_optional_id(text: str | None, what: str) -> UUID | None:
    """Parses an id as `read_id` does. None stays None."""
    return None if text is None else read_id(text, what)
