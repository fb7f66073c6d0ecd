"""Changes by an operator: each is one transaction together with its entry in the audit log."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar
from uuid import UUID

import typer

from tenuto.cli.session import CommandContext, with_database
from tenuto.model.audit import Changes
from tenuto.model.json import Json

if TYPE_CHECKING:
    from tenuto.db.connection.call import Conn

T = TypeVar("T")

ROLE = "tenuto_dispatcher"  # workers cannot read keys, and the API only sees one org
WORKERS = "tenuto_worker"
KIND = "operator"

Org = Annotated[str | None, typer.Option(help="Org to use instead of TENUTO_ORG.", show_default=False)]


@dataclass(frozen=True)
class AuditedTransaction:
    """A transaction in which calls and audit entries are committed together or not at all."""

    conn: "Conn"
    org_id: UUID
    actor: str

    async def note(self, entity: str, entity_id: object, action: str, changes: Changes | None = None) -> None:
        """Write an entry to the audit log; `changes` are {field: {old, new}}."""
        from tenuto.db import audit

        await audit.write_audit(
            self.conn,
            org_id=self.org_id,
            entity=entity,
            entity_id=str(entity_id),
            action=action,
            changes=changes,
            actor_kind=KIND,
            actor_id=self.actor,
        )


def look(question: Callable[[CommandContext], Awaitable[T]], *, org: str | None = None) -> T:
    """Run a query that only operators may run."""
    return with_database(question, role=ROLE, org=org)


def change(work: Callable[[AuditedTransaction], Awaitable[T]], *, org: str | None = None, role: str = ROLE) -> T:
    """Do the work in one transaction."""
    return with_database(lambda context: in_one(context, work), role=role, org=org)


async def in_one(context: CommandContext, work: Callable[[AuditedTransaction], Awaitable[T]]) -> T:
    async with context.pool.connection() as conn, conn.transaction():
        return await work(AuditedTransaction(conn, context.org_id, operator()))


def audited_call(
    thing: tuple[str, object],
    action: str,
    call: Callable[[AuditedTransaction], Awaitable[T]],
    reason: str | None = None,
) -> T:
    """Make one call about a run, task, queue or worker and write its audit entry. Needs only the worker role."""

    async def work(transaction: AuditedTransaction) -> T:
        result = await call(transaction)
        await transaction.note(*thing, action, new(reason=reason))
        return result

    return change(work, role=WORKERS)


def operator() -> str:
    """Returns the operator's user name from the operating system, because environment variables can be set to
    anything."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user may have no name
        return f"uid {os.getuid()}"


def new(**values: Json) -> Changes:
    """Returns the changes for a new thing: the fields that are not None."""
    return {field: {"new": value} for field, value in values.items() if value is not None}


def split_commas(text: str) -> list[str]:
    """Splits `a,b` into a list."""
    return [word.strip() for word in text.split(",") if word.strip()]
