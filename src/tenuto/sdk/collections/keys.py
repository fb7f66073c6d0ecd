"""API keys and worker keys: `await tn.keys.create("ci", ["runs:write"], expires="30d")`. These calls work only over
HTTP."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Generic, Literal
from uuid import UUID

from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.identity import ApiKeyInfo, WorkerKeyInfo
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages, read_uuid
from tenuto.sdk.operations.keys import CreatedKey, HttpApiKeys, HttpKeys, HttpWorkerKeys, K, KeyUpdate

if TYPE_CHECKING:
    from tenuto.sdk.client.http_client import Http

NEVER = "never"


class KeyCollection(Generic[K]):
    """The keys of one kind."""

    def __init__(self, keys: HttpKeys[K]) -> None:
        self._keys = keys

    async def get(self, id: UUID | str) -> K:
        """Return what is stored about a key, such as its name and times, by its id. The secret text of the key is not
        stored."""
        return await self._keys.get_key(_key(id))

    async def rotate(self, id: UUID | str, *, overlap: Duration = "1d") -> CreatedKey:
        """Create a key that replaces the key with this id. The old key stays valid for `overlap`."""
        return await self._keys.rotate_key(_key(id), overlap=_span(overlap, "overlap"))

    async def revoke(self, id: UUID | str) -> bool:
        """Revoke a key now. Return False if it was revoked before."""
        return await self._keys.revoke_key(_key(id))

    async def list(self) -> list[K]:
        """Return all keys, newest first, without their secret texts."""
        return await all_pages(lambda last: self._keys.list_keys(before=last and last.id))


class ApiKeyCollection(KeyCollection[ApiKeyInfo]):
    """The API keys of an org."""

    def __init__(self, http: "Http") -> None:
        self._api_keys = HttpApiKeys(http)
        super().__init__(self._api_keys)

    async def create(self, name: str, permissions: Sequence[str], *, expires: Duration | None = None) -> CreatedKey:
        """Create an API key with these permissions, a subset of the client's own. `expires`: how long the key is valid;
        by default until it is revoked."""
        valid_for = None if expires is None else _span(expires, "expires")
        return await self._api_keys.create_key(name, _texts(permissions, "permissions"), expires=valid_for)

    async def update(
        self,
        id: UUID | str,
        *,
        name: str | None = None,
        active: bool | None = None,
        expires: Duration | Literal["never"] | None = None,
    ) -> ApiKeyInfo:
        """Change the name of an API key, activate or deactivate it, or set how long it is valid from now. Return the
        key."""
        if name is None and active is None and expires is None:
            raise InvalidInput("nothing to change", "pass name, active or expires")
        valid_for = None if expires is None or expires == NEVER else _span(expires, "expires")
        changes = KeyUpdate(name, active, valid_for, never_expires=expires == NEVER)
        return await self._api_keys.update_key(_key(id), changes)


class WorkerKeyCollection(KeyCollection[WorkerKeyInfo]):
    """The keys of workers that connect over HTTP."""

    def __init__(self, http: "Http") -> None:
        self._worker_keys = HttpWorkerKeys(http)
        super().__init__(self._worker_keys)

    async def create(self, name: str, queues: Sequence[str] = ("*",), *, expires: Duration | None = None) -> CreatedKey:
        """Create a worker key for these queues, by default for all. `expires`: how long the key is valid; by default
        until it is revoked."""
        valid_for = None if expires is None else _span(expires, "expires")
        return await self._worker_keys.create_key(name, _texts(queues, "queues"), expires=valid_for)


class SyncKeyCollection(Generic[K]):
    """The keys of one kind, for synchronous code."""

    def __init__(self, keys: KeyCollection[K], wait: Wait) -> None:
        self._keys, self._wait = keys, wait

    def get(self, id: UUID | str) -> K:
        """Return what is stored about a key, such as its name and times, by its id. The secret text of the key is not
        stored."""
        return self._wait(self._keys.get(id))

    def rotate(self, id: UUID | str, *, overlap: Duration = "1d") -> CreatedKey:
        """Create a key that replaces the key with this id. The old key stays valid for `overlap`."""
        return self._wait(self._keys.rotate(id, overlap=overlap))

    def revoke(self, id: UUID | str) -> bool:
        """Revoke a key now. Return False if it was revoked before."""
        return self._wait(self._keys.revoke(id))

    def list(self) -> list[K]:
        """Return all keys, newest first, without their secret texts."""
        return self._wait(self._keys.list())


class SyncApiKeyCollection(SyncKeyCollection[ApiKeyInfo]):
    """The API keys of an org, for synchronous code."""

    def __init__(self, keys: ApiKeyCollection, wait: Wait) -> None:
        super().__init__(keys, wait)
        self._api_keys = keys

    def create(self, name: str, permissions: Sequence[str], *, expires: Duration | None = None) -> CreatedKey:
        """Create an API key with these permissions, a subset of the client's own. `expires`: how long the key is valid;
        by default until it is revoked."""
        return self._wait(self._api_keys.create(name, permissions, expires=expires))

    def update(
        self,
        id: UUID | str,
        *,
        name: str | None = None,
        active: bool | None = None,
        expires: Duration | Literal["never"] | None = None,
    ) -> ApiKeyInfo:
        """Change the name of an API key, activate or deactivate it, or set how long it is valid from now. Return the
        key."""
        return self._wait(self._api_keys.update(id, name=name, active=active, expires=expires))


class SyncWorkerKeyCollection(SyncKeyCollection[WorkerKeyInfo]):
    """The keys of workers that connect over HTTP, for synchronous code."""

    def __init__(self, keys: WorkerKeyCollection, wait: Wait) -> None:
        super().__init__(keys, wait)
        self._worker_keys = keys

    def create(self, name: str, queues: Sequence[str] = ("*",), *, expires: Duration | None = None) -> CreatedKey:
        """Create a worker key for these queues, by default for all. `expires`: how long the key is valid; by default
        until it is revoked."""
        return self._wait(self._worker_keys.create(name, queues, expires=expires))


def _key(id: UUID | str) -> UUID:
    return read_uuid(id, "a key")


def _span(value: Duration, what: str) -> timedelta:
    return timedelta(seconds=seconds(value, what))


def _texts(values: Sequence[str], what: str) -> list[str]:
    if isinstance(values, str):
        raise InvalidInput(f"{what} is the text {values!r}", f'write a list: {what}=["…"]')
    return list(values)
