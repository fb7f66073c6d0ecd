"""Makes the changes of commands, each in one transaction. The SQL functions write them to the audit log."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar
from uuid import UUID

import typer

from tenuto.cli.session import CommandContext, with_database
from tenuto.model.os_user import os_user

if TYPE_CHECKING:
    from tenuto.db.connection.call import Conn

T = TypeVar("T")

ROLE = "tenuto_dispatcher"  # tenuto_worker cannot read keys, and tenuto_api sees only one org

Org = Annotated[str | None, typer.Option(help="Org to use instead of TENUTO_ORG.", show_default=False)]


@dataclass(frozen=True)
class AuditedTransaction:
    """A transaction whose calls and audit entries are committed together or not at all."""

    conn: "Conn"
    org_id: UUID
    actor: str


def read(work: Callable[[CommandContext], Awaitable[T]], *, org: str | None = None) -> T:
    """Run the work of a command on the database. Unlike `change`, this opens no transaction."""
    return with_database(work, role=ROLE, org=org)


def change(work: Callable[[AuditedTransaction], Awaitable[T]], *, org: str | None = None) -> T:
    """Do the work in one transaction."""
    return with_database(lambda context: in_one(context, work), role=ROLE, org=org)


async def in_one(context: CommandContext, work: Callable[[AuditedTransaction], Awaitable[T]]) -> T:
    async with context.pool.connection() as conn, conn.transaction():
        return await work(AuditedTransaction(conn, context.org_id, os_user()))


def split_commas(text: str) -> list[str]:
    """Splits `a,b` into a list."""
    return [word.strip() for word in text.split(",") if word.strip()]
