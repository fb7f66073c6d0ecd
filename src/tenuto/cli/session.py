"""Runs a command's coroutine with a connection pool to a ready database and the org."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from tenuto.cli.database import Settings, read_settings, ready_database
from tenuto.cli.exit_codes import UsageError

if TYPE_CHECKING:
    from tenuto.db.connection.pool import ConnectionPool

T = TypeVar("T")


@dataclass(frozen=True)
class CommandContext:
    """The settings, database, role, pool and org of a command."""

    settings: Settings
    url: str
    role: str | None
    pool: "ConnectionPool"
    org_id: UUID


def with_database(
    question: Callable[[CommandContext], Awaitable[T]], *, role: str = "tenuto_worker", org: str | None = None
) -> T:
    """Run `question` with the database and return its result. Acts as `role` if the login may.

    `org` overrides TENUTO_ORG.
    """
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.process_role import choose_role

    settings = read_settings()
    if org is not None:
        settings = replace(settings, org=org)
    with ready_database(settings) as url, explained():
        return asyncio.run(_ask(question, settings, url, choose_role(url, role)))


async def _ask(question: Callable[[CommandContext], Awaitable[T]], settings: Settings, url: str, role: str | None) -> T:
    from tenuto.db import identity
    from tenuto.db.connection.pool import open_pool

    async with open_pool(url, role=role) as pool:
        org_id = await pool.call(identity.find_org, slug=settings.org)
        return await question(CommandContext(settings, url, role, pool, org_id))


def read_id(text: str, what: str) -> UUID:
    """Parses a complete id: a prefix could become ambiguous."""
    try:
        return UUID(text)
    except ValueError:
        raise UsageError(f"{text!r} is not the id of a {what}; `tenuto {what}s list` shows full ids") from None


def read_optional_id(text: str | None, what: str) -> UUID | None:
    """Parses a complete id, or returns None if there is none."""
    return None if text is None else read_id(text, what)
