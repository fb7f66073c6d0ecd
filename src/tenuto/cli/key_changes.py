"""Lets commands read and change API keys and worker keys: over HTTP if TENUTO_URL or --url names a server, else with
SQL."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from tenuto.cli.audited import AuditedTransaction, change
from tenuto.cli.database import read_settings
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.session import MAX_CANDIDATES, with_server
from tenuto.model.durations import seconds

if TYPE_CHECKING:
    from tenuto.model.identity import ApiKeyInfo, WorkerKeyInfo
    from tenuto.sdk.operations.keys import ApiKeyOperations, CreatedKey, KeyOperations, KeyUpdate

    AnyKeys = KeyOperations[ApiKeyInfo] | KeyOperations[WorkerKeyInfo]

T = TypeVar("T")


@dataclass(frozen=True)
class NewKey:
    """A key to create: its text is shown once, the rest is stored."""

    text: str = field(repr=False)
    key_id: str
    hash: bytes
    pepper_version: int


def new_key(kind: str, env: str) -> NewKey:
    """Make an API key or a worker key, with the hash to store."""
    from tenuto.cli.pepper import find_peppers
    from tenuto.model.keys import key_hash, make_key

    key, peppers = make_key(kind, env), find_peppers(read_settings())
    return NewKey(key.text, key.key_id, key_hash(peppers, key.text), peppers.version)


def with_api_keys(work: "Callable[[ApiKeyOperations], Awaitable[T]]", *, org: str | None, env: str | None = None) -> T:
    """Run `work` with the API keys of the org. `env` is written into new keys."""
    if read_settings().server is None:
        return change(lambda transaction: work(SqlApiKeys(transaction, env or "live")), org=org)
    from tenuto.sdk.operations.keys import HttpApiKeys

    _refuse_env(env)
    return with_server(lambda http: work(HttpApiKeys(http)), org=org)


def with_worker_keys(
    work: "Callable[[KeyOperations[WorkerKeyInfo]], Awaitable[T]]", *, org: str | None, env: str | None = None
) -> T:
    """Run `work` with the worker keys of the org. `env` is written into new keys."""
    if read_settings().server is None:
        return change(lambda transaction: work(SqlWorkerKeys(transaction, env or "live")), org=org)
    from tenuto.sdk.operations.keys import HttpWorkerKeys

    _refuse_env(env)
    return with_server(lambda http: work(HttpWorkerKeys(http)), org=org)


def _refuse_env(env: str | None) -> None:
    if env is not None:
        raise UsageError(f"--env {env}: over HTTP the server determines the environment; leave it out")


async def find_id(keys: "AnyKeys", text: str, what: str) -> UUID:
    """Return the id of a key. `text` is this id, the public part of the key's text, as error messages show it, or the
    name of one key. A key that was revoked is found by its name only if no other key has this name."""
    with suppress(ValueError):
        return UUID(text)
    named: list[ApiKeyInfo | WorkerKeyInfo] = []
    before: UUID | None = None
    while page := await keys.list_keys(before=before):
        for key in page:
            if key.key_id == text:
                return key.id
            if key.name == text:
                named.append(key)
        before = page[-1].id
    found = [key for key in named if key.revoked_at is None] or named
    if len(found) > 1:
        shown = ", ".join(f"{key.id} ({key.key_id})" for key in found[:MAX_CANDIDATES])
        more = ", …" if len(found) > MAX_CANDIDATES else ""
        raise UsageError(f"several keys are called {text!r:.300}: {shown}{more}; write the id")
    if not found:
        raise UsageError(f"no key has the id, public part or name {text!r:.300}; `tenuto {what}s list` shows the keys")
    return found[0].id


def read_span(text: str, option: str) -> timedelta:
    """Returns the value of an option as a duration."""
    return timedelta(seconds=seconds(text, option))


class SqlApiKeys:
    """The API keys of one org, in one transaction."""

    def __init__(self, transaction: AuditedTransaction, env: str) -> None:
        self._transaction, self._conn, self._org_id = transaction, transaction.conn, transaction.org_id
        self._env = env

    async def list_keys(self, *, before: UUID | None = None, limit: int = 200) -> "list[ApiKeyInfo]":
        from tenuto.db import keys

        return await keys.list_api_keys(self._conn, org_id=self._org_id, before=before, limit=limit)

    async def get_key(self, id: UUID) -> "ApiKeyInfo":
        from tenuto.db import keys

        return await keys.get_api_key(self._conn, org_id=self._org_id, id=id)

    async def create_key(self, name: str, rights: list[str], *, expires: timedelta | None) -> "CreatedKey":
        from tenuto.db import keys
        from tenuto.model.keys import API
        from tenuto.sdk.operations.keys import CreatedKey

        key, expires_at = new_key(API, self._env), await _expiry(self._transaction, expires)
        id = await keys.create_api_key(
            self._conn,
            org_id=self._org_id,
            key_id=key.key_id,
            hash=key.hash,
            pepper_version=key.pepper_version,
            name=name,
            permissions=rights,
            expires_at=expires_at,
            created_by=self._transaction.actor,
        )
        return CreatedKey(id, key.text)

    async def update_key(self, id: UUID, changes: "KeyUpdate") -> "ApiKeyInfo":
        from tenuto.db import keys

        await keys.update_api_key(
            self._conn,
            org_id=self._org_id,
            id=id,
            name=changes.name,
            active=changes.active,
            expires_at=await _expiry(self._transaction, changes.expires),
            never_expires=changes.never_expires,
        )
        return await self.get_key(id)

    async def rotate_key(self, id: UUID, *, overlap: timedelta) -> "CreatedKey":
        from tenuto.db import keys
        from tenuto.model.keys import API
        from tenuto.sdk.operations.keys import CreatedKey

        key = new_key(API, self._env)
        new_id = await keys.rotate_api_key(
            self._conn,
            org_id=self._org_id,
            id=id,
            key_id=key.key_id,
            hash=key.hash,
            pepper_version=key.pepper_version,
            created_by=self._transaction.actor,
            overlap=overlap,
        )
        return CreatedKey(new_id, key.text)

    async def revoke_key(self, id: UUID) -> bool:
        from tenuto.db import keys

        return await keys.revoke_api_key(self._conn, org_id=self._org_id, id=id)


class SqlWorkerKeys:
    """The worker keys of one org, in one transaction."""

    def __init__(self, transaction: AuditedTransaction, env: str) -> None:
        self._transaction, self._conn, self._org_id = transaction, transaction.conn, transaction.org_id
        self._env = env

    async def list_keys(self, *, before: UUID | None = None, limit: int = 200) -> "list[WorkerKeyInfo]":
        from tenuto.db import keys

        return await keys.list_worker_keys(self._conn, org_id=self._org_id, before=before, limit=limit)

    async def get_key(self, id: UUID) -> "WorkerKeyInfo":
        from tenuto.db import keys

        return await keys.get_worker_key(self._conn, org_id=self._org_id, id=id)

    async def create_key(self, name: str, rights: list[str], *, expires: timedelta | None) -> "CreatedKey":
        from tenuto.db import keys
        from tenuto.model.keys import WORKER
        from tenuto.sdk.operations.keys import CreatedKey

        key, expires_at = new_key(WORKER, self._env), await _expiry(self._transaction, expires)
        id = await keys.create_worker_key(
            self._conn,
            org_id=self._org_id,
            key_id=key.key_id,
            hash=key.hash,
            pepper_version=key.pepper_version,
            name=name,
            queues=rights,
            expires_at=expires_at,
            created_by=self._transaction.actor,
        )
        return CreatedKey(id, key.text)

    async def rotate_key(self, id: UUID, *, overlap: timedelta) -> "CreatedKey":
        from tenuto.db import keys
        from tenuto.model.keys import WORKER
        from tenuto.sdk.operations.keys import CreatedKey

        key = new_key(WORKER, self._env)
        new_id = await keys.rotate_worker_key(
            self._conn,
            org_id=self._org_id,
            id=id,
            key_id=key.key_id,
            hash=key.hash,
            pepper_version=key.pepper_version,
            created_by=self._transaction.actor,
            overlap=overlap,
        )
        return CreatedKey(new_id, key.text)

    async def revoke_key(self, id: UUID) -> bool:
        from tenuto.db import keys, workers

        done = await keys.revoke_worker_key(self._conn, org_id=self._org_id, id=id)
        await workers.end_key_sessions(self._conn, org_id=self._org_id, worker_key_id=id)
        return done


async def _expiry(transaction: AuditedTransaction, expires: timedelta | None) -> datetime | None:
    """Return the time after which a key is no longer valid, by the clock of the database."""
    from tenuto.db import maintenance

    return None if expires is None else await maintenance.now(transaction.conn) + expires
