"""Destinations of side effects: the operations that commands call, as a protocol, and their HTTP implementation."""

from typing import Protocol
from urllib.parse import quote

from tenuto.model.outbox import Destination
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump


class DestinationOperations(Protocol):
    """Operations on the destinations of one org."""

    async def put_destination(self, name: str, url: str, *, openlineage: bool = False) -> str | None:
        """Declare a destination for effects or for OpenLineage events. Return its secret if the destination is new."""
        ...

    async def rotate_destination(self, name: str) -> str:
        """Replace the secret of a destination, and return the new secret."""
        ...

    async def list_destinations(self, *, after: str | None = None, limit: int = PAGE) -> list[Destination]:
        """Return a page of destinations, by name."""
        ...

    async def delete_destination(self, name: str) -> None: ...


class HttpDestinations:
    """Sends the operations to a server."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def put_destination(self, name: str, url: str, *, openlineage: bool = False) -> str | None:
        return (await self._http.request("PUT", _path(name), dump({"url": url, "openlineage": openlineage})))["secret"]

    async def rotate_destination(self, name: str) -> str:
        return (await self._http.request("POST", f"{_path(name)}/rotate"))["secret"]

    async def list_destinations(self, *, after: str | None = None, limit: int = PAGE) -> list[Destination]:
        params = {"limit": limit, **({} if after is None else {"after": after})}
        return read(list[Destination], (await self._http.request("GET", "/v1/destinations", params=params))["items"])

    async def delete_destination(self, name: str) -> None:
        await self._http.request("DELETE", _path(name))


def _path(name: str) -> str:
    return f"/v1/destinations/{quote(name, safe='')}"
