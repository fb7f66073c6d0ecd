"""Lets commands read and change orgs, users and roles: over HTTP if TENUTO_URL or --url names a server, else with
SQL."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tenuto.cli.audited import ROLE
from tenuto.cli.database import read_settings
from tenuto.cli.session import with_database, with_server

if TYPE_CHECKING:
    from tenuto.sdk.operations.people import PeopleOperations

T = TypeVar("T")


def with_people(work: "Callable[[PeopleOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `work` with the users and roles of the org."""
    if read_settings().server is None:
        from tenuto.sdk.operations.sql_people import SqlPeople

        return with_database(lambda context: work(SqlPeople(context.pool, context.org_id)), role=ROLE, org=org)
    from tenuto.sdk.operations.people import HttpPeople

    return with_server(lambda http: work(HttpPeople(http)), org=org)


def with_orgs(work: "Callable[[PeopleOperations], Awaitable[T]]") -> T:
    """Run `work` with all orgs; over HTTP, with the org of the API key. Ignores TENUTO_ORG, because the org that it
    names may not exist yet."""
    return with_people(work, org="default" if read_settings().server is None else None)
