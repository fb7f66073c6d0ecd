"""Orgs, users and roles for commands: over HTTP if TENUTO_URL names a server, else on the database."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tenuto.cli.audited import ROLE
from tenuto.cli.database import read_settings
from tenuto.cli.session import with_database, with_server

if TYPE_CHECKING:
    from tenuto.sdk.operations.people import PeopleOperations

T = TypeVar("T")


def with_people(question: "Callable[[PeopleOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `question` with the users and roles of the org."""
    if read_settings().server is None:
        from tenuto.sdk.operations.sql_people import SqlPeople

        return with_database(lambda context: question(SqlPeople(context.pool, context.org_id)), role=ROLE, org=org)
    from tenuto.sdk.operations.people import HttpPeople

    return with_server(lambda http: question(HttpPeople(http)), org=org)


def with_orgs(question: "Callable[[PeopleOperations], Awaitable[T]]") -> T:
    """Run `question` with all orgs; over HTTP, with the org of the API key. Ignores TENUTO_ORG, because the org that it
    names may not exist yet."""
    return with_people(question, org="default" if read_settings().server is None else None)
