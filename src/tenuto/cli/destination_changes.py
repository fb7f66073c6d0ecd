"""Lets commands read and change destinations: over HTTP if TENUTO_URL or --url names a server, else with SQL."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tenuto.cli.audited import ROLE
from tenuto.cli.database import read_settings
from tenuto.cli.session import CommandContext, with_database, with_server

if TYPE_CHECKING:
    from tenuto.model.outbox import Destination
    from tenuto.sdk.operations.destinations import DestinationOperations

T = TypeVar("T")


def with_destinations(work: "Callable[[DestinationOperations], Awaitable[T]]", *, org: str | None) -> T:
    """Run `work` with the destinations of the org."""
    if read_settings().server is None:
        return with_database(lambda context: work(SqlDestinations(context)), role=ROLE, org=org)
    from tenuto.sdk.operations.destinations import HttpDestinations

    return with_server(lambda http: work(HttpDestinations(http)), org=org)


class SqlDestinations:
    """The destinations of one org on the database. Secrets are encrypted with the pepper of this machine."""

    def __init__(self, context: CommandContext) -> None:
        self._context, self._pool, self._org_id = context, context.pool, context.org_id

    async def put_destination(self, name: str, url: str, *, openlineage: bool = False) -> str | None:
        from tenuto.db import outbox

        secret, stored = self._new_secret(name)
        is_new = await self._pool.call(
            outbox.put_destination,
            org_id=self._org_id,
            name=name,
            url=url,
            secret=stored,
            openlineage=openlineage,
        )
        return secret if is_new else None

    async def rotate_destination(self, name: str) -> str:
        from tenuto.db import outbox

        secret, stored = self._new_secret(name)
        await self._pool.call(outbox.rotate_destination, org_id=self._org_id, name=name, secret=stored)
        return secret

    async def list_destinations(self, *, after: str | None = None, limit: int = 200) -> "list[Destination]":
        from tenuto.db import outbox

        return await self._pool.call(outbox.list_destinations, org_id=self._org_id, after=after, limit=limit)

    async def delete_destination(self, name: str) -> None:
        from tenuto.db import outbox

        await self._pool.call(outbox.delete_destination, org_id=self._org_id, name=name)

    def _new_secret(self, name: str) -> tuple[str, bytes]:
        """Return a new secret, and the form in which it is stored."""
        from tenuto.cli.pepper import find_peppers
        from tenuto.model.deliveries import encrypt_secret, make_secret

        secret = make_secret()
        return secret, encrypt_secret(secret, self._org_id, name, find_peppers(self._context.settings))
