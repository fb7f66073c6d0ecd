"""What an operator changes: each change in one transaction with its entry in the audit log."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from uuid import UUID

import typer

from tenuto.cli.session import CommandContext, with_database

if TYPE_CHECKING:
    from tenuto.db.connection.call import Conn

T = TypeVar("T")

ROLE = "tenuto_dispatcher"  # workers may not see keys, and the api only one org
WORKERS = "tenuto_worker"
KIND = "operator"

Org = Annotated[str | None, typer.Option(help="The org it is about, instead of TENUTO_ORG.", show_default=False)]


@dataclass(frozen=True)
class AuditedTransaction:
    """What is called happens together with what is written down, or not at all."""

    conn: "Conn"
    org_id: UUID
    actor: str

    async def do(self, function: Callable[..., Awaitable[T]], **params: Any) -> T:
        return await function(self.conn, org_id=self.org_id, **params)

    async def note(self, entity: str, entity_id: object, action: str, changes: dict[str, Any] | None = None) -> None:
        """An entry of the audit log; `changes` are {field: {old, new}}."""
        from tenuto.db import audit

        what = {"entity": entity, "entity_id": str(entity_id), "action": action, "changes": changes}
        await self.do(audit.write_audit, **what, actor_kind=KIND, actor_id=self.actor)


def look(question: Callable[[CommandContext], Awaitable[T]], *, org: str | None = None) -> T:
    """What an operator sees and others do not."""
    return with_database(question, role=ROLE, org=org)


def change(work: Callable[[AuditedTransaction], Awaitable[T]], *, org: str | None = None, role: str = ROLE) -> T:
    """Do the work in one transaction."""
    return with_database(lambda desk: in_one(desk, work), role=role, org=org)


async def in_one(desk: CommandContext, work: Callable[[AuditedTransaction], Awaitable[T]]) -> T:
    async with desk.pool.connection() as conn, conn.transaction():
        return await work(AuditedTransaction(conn, desk.org_id, operator()))


def audited_call(
    thing: tuple[str, object],
    action: str,
    function: Callable[..., Awaitable[T]],
    reason: str | None = None,
    **params: Any,
) -> T:
    """One call about a run, task, queue or worker, with its entry; whoever may work may do it."""

    async def work(deed: AuditedTransaction) -> T:
        given = {"reason": reason} if reason is not None else {}
        done = await deed.do(function, **params, **given)
        await deed.note(*thing, action, new(reason=reason))
        return done

    return change(work, role=WORKERS)


def operator() -> str:
    """The operating system's name for whoever types: asked of it, since the environment may say anything."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user may have no name
        return f"uid {os.getuid()}"


def new(**values: Any) -> dict[str, Any]:
    """The changes of something that was made: those fields that were given."""
    return {field: {"new": value} for field, value in values.items() if value is not None}


def split_commas(text: str) -> list[str]:
    """`a,b` as a list."""
    return [word.strip() for word in text.split(",") if word.strip()]
