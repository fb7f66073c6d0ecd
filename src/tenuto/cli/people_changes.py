"""Lets commands read and change orgs, users and roles: over HTTP if TENUTO_URL or --url names a server, else with
SQL."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from tenuto.cli.audited import ROLE
from tenuto.cli.database import read_settings
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.session import MAX_CANDIDATES, with_database, with_server

if TYPE_CHECKING:
    from tenuto.model.identity import User
    from tenuto.sdk.operations.people import PeopleOperations

T = TypeVar("T")


def with_people(work: "Callable[[PeopleOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `work` with the users and roles of the org."""
    if read_settings().server is None:
        from tenuto.sdk.operations.sql_people import SqlPeople

        return with_database(lambda context: work(SqlPeople(context.pool, context.org_id)), role=ROLE, org=org)
    from tenuto.sdk.operations.people import HttpPeople

    return with_server(lambda http: work(HttpPeople(http)), org=org)


def with_user(
    user: str, work: "Callable[[PeopleOperations, UUID], Awaitable[T]]", *, org: str | None
) -> tuple[UUID, T]:
    """Run `work` with the users of the org and the id of one of them. Return the id and the result."""

    async def found(people: "PeopleOperations") -> tuple[UUID, T]:
        id = await find_user(people.list_users, user)
        return id, await work(people, id)

    return with_people(found, org=org)


async def find_user(list_users: "Callable[..., Awaitable[list[User]]]", text: str) -> UUID:
    """Return the id of a user. `text` is this id, or the name, email address or subject of one user."""
    found = await list_users(name=text, limit=MAX_CANDIDATES + 1)
    with suppress(ValueError):
        id = UUID(text)
        # Subjects are often UUIDs. They come from the issuer; a name, which users choose, must not stand for an id.
        found = [user for user in found if user.subject == text]
        if not found:
            return id
    if len(found) == 1:
        return found[0].id
    if found:
        shown = ", ".join(f"{user.id} ({user.email or user.subject})" for user in found[:MAX_CANDIDATES])
        more = ", …" if len(found) > MAX_CANDIDATES else ""
        raise UsageError(f"several users are called {text!r:.300}: {shown}{more}; write the id")
    names = [name for user in await list_users(limit=200) for name in (user.name, user.email, user.subject) if name]
    from tenuto.sdk.suggestions import nearest

    near = nearest(text, names)
    hint = f"did you mean {near}?" if near else "`tenuto users list` shows the users"
    raise UsageError(f"no user has the id, name, email address or subject {text!r:.300}; {hint}")


def with_orgs(work: "Callable[[PeopleOperations], Awaitable[T]]") -> T:
    """Run `work` with all orgs; over HTTP, with the org of the API key. Ignores TENUTO_ORG, because the org that it
    names may not exist yet."""
    return with_people(work, org="default" if read_settings().server is None else None)
