"""API keys and worker keys: the operations of commands and clients, as a protocol, and their HTTP implementation."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from tenuto.model.identity import ApiKeyInfo, WorkerKeyInfo
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump

K = TypeVar("K", ApiKeyInfo, WorkerKeyInfo)


@dataclass(frozen=True)
class CreatedKey:
    """A new key. Its text cannot be read again."""

    id: UUID
    key: str = field(repr=False)


@dataclass(frozen=True)
class KeyUpdate:
    """The changes of an API key; None changes nothing. `expires`: how long the key is valid from now."""

    name: str | None = None
    active: bool | None = None
    expires: timedelta | None = None
    never_expires: bool = False


class KeyOperations(Protocol[K]):
    """Operations on the API keys or the worker keys of one org."""

    async def list_keys(self, *, before: UUID | None = None, limit: int = PAGE) -> list[K]:
        """Return a page of keys, newest first."""
        ...

    async def get_key(self, id: UUID) -> K: ...

    async def create_key(self, name: str, rights: list[str], *, expires: timedelta | None) -> CreatedKey:
        """Create a key with these rights: permissions for an API key, queues for a worker key."""
        ...

    async def rotate_key(self, id: UUID, *, overlap: timedelta) -> CreatedKey:
        """Create a key that replaces the key with this id. The old key stays valid for `overlap`."""
        ...

    async def revoke_key(self, id: UUID) -> bool:
        """Revoke a key; return False if it was revoked before."""
        ...


class ApiKeyOperations(KeyOperations[ApiKeyInfo], Protocol):
    """Operations on the API keys of one org."""

    async def update_key(self, id: UUID, changes: KeyUpdate) -> ApiKeyInfo: ...


class HttpKeys(Generic[K]):
    """Sends the operations on keys of one kind to a server."""

    def __init__(self, http: Http, kind: type[K], path: str, *, rights: str) -> None:
        self.http, self._kind, self._path, self._rights = http, kind, path, rights

    async def list_keys(self, *, before: UUID | None = None, limit: int = PAGE) -> list[K]:
        return await self._list({"before": before, "limit": limit})

    async def _list(self, page: dict[str, object]) -> list[K]:
        params = {name: value for name, value in page.items() if value is not None}
        return read(list[self._kind], (await self.http.request("GET", self._path, params=params))["items"])

    async def get_key(self, id: UUID) -> K:
        return read(self._kind, await self.http.request("GET", f"{self._path}/{id}"))

    async def create_key(self, name: str, rights: list[str], *, expires: timedelta | None) -> CreatedKey:
        expires_at = None if expires is None else (datetime.now(UTC) + expires).isoformat()
        body = dump({"name": name, self._rights: rights, "expires_at": expires_at})
        return read(CreatedKey, await self.http.request("POST", self._path, body))

    async def rotate_key(self, id: UUID, *, overlap: timedelta) -> CreatedKey:
        body = dump({"overlap_seconds": overlap.total_seconds()})
        return read(CreatedKey, await self.http.request("POST", f"{self._path}/{id}/rotate", body))

    async def revoke_key(self, id: UUID) -> bool:
        valid = (await self.get_key(id)).revoked_at is None
        await self.http.request("DELETE", f"{self._path}/{id}")
        return valid


class HttpApiKeys(HttpKeys[ApiKeyInfo]):
    """Sends the operations on API keys to a server."""

    def __init__(self, http: Http) -> None:
        super().__init__(http, ApiKeyInfo, "/v1/keys", rights="permissions")

    async def update_key(self, id: UUID, changes: KeyUpdate) -> ApiKeyInfo:
        body: dict[str, object] = {"name": changes.name, "active": changes.active}
        body = {name: value for name, value in body.items() if value is not None}
        if changes.never_expires:
            body["expires_at"] = None
        elif changes.expires is not None:
            body["expires_at"] = (datetime.now(UTC) + changes.expires).isoformat()
        return read(ApiKeyInfo, await self.http.request("PATCH", f"{self._path}/{id}", dump(body)))


class HttpWorkerKeys(HttpKeys[WorkerKeyInfo]):
    """Sends the operations on worker keys to a server."""

    def __init__(self, http: Http) -> None:
        super().__init__(http, WorkerKeyInfo, "/v1/worker-keys", rights="queues")
