"""The attributes of clients that are collections: `tn.tasks`, `tn.workers`, …"""

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tenuto.db.connection.errors import BadAddress
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.client.transport import Transport
from tenuto.sdk.collections.dag_attributes import DagAttributes, SyncDagAttributes

if TYPE_CHECKING:
    from tenuto.model.overview import OrgStatus
    from tenuto.model.run_data import RunDataItem
    from tenuto.sdk.client.http_client import Http
    from tenuto.sdk.client.run import Run
    from tenuto.sdk.client.sync_run import SyncRun
    from tenuto.sdk.collections.groups import (
        BundleCollection,
        GroupCollection,
        SyncBundleCollection,
        SyncGroupCollection,
    )
    from tenuto.sdk.collections.keys import (
        ApiKeyCollection,
        SyncApiKeyCollection,
        SyncWorkerKeyCollection,
        WorkerKeyCollection,
    )
    from tenuto.sdk.collections.queues import (
        LimitCollection,
        QueueCollection,
        SyncLimitCollection,
        SyncQueueCollection,
        SyncTypeCollection,
        TypeCollection,
    )
    from tenuto.sdk.collections.tasks import SyncTaskCollection, TaskCollection
    from tenuto.sdk.collections.workers import (
        DispatcherCollection,
        SyncDispatcherCollection,
        SyncWorkerCollection,
        WorkerCollection,
    )
    from tenuto.sdk.operations.base import Operations


class Collections(DagAttributes):
    """The collections of an org, for asynchronous code. Their modules are imported on first use, because most programs
    only start runs."""

    transport: Transport
    url: str

    @abstractmethod
    def run(self, id: UUID | str) -> "Run[Any]":
        """Return a handle for the run with this id."""

    @cached_property
    def operations(self) -> "Operations":
        """The operations that the collections call, over the transport of the client."""
        transport = self.transport
        if isinstance(transport, SqlTransport):
            from tenuto.sdk.operations.sql import SqlOperations

            return SqlOperations(transport.pool, transport.org_id, transport.store, url=self.url)
        from tenuto.sdk.operations.http import HttpOperations

        return HttpOperations(self._server)

    @property
    def _server(self) -> "Http":
        from tenuto.sdk.client.http_transport import HttpTransport

        if not isinstance(self.transport, HttpTransport):
            raise BadAddress(
                "keys are created by a server, but this client uses the database; set TENUTO_URL, or use `tenuto keys`"
            )
        return self.transport.http

    @property
    def tasks(self) -> "TaskCollection":
        """The tasks: `await tn.tasks(status="failed")` lists them, `await tn.tasks.get(id)` returns one."""
        from tenuto.sdk.collections.tasks import TaskCollection

        return TaskCollection(self.operations, self.run)

    @property
    def workers(self) -> "WorkerCollection":
        """The workers: `await tn.workers.list()`, `await tn.workers.drain("w-1")`."""
        from tenuto.sdk.collections.workers import WorkerCollection

        return WorkerCollection(self.operations)

    @property
    def dispatchers(self) -> "DispatcherCollection":
        """The dispatchers: `await tn.dispatchers.list()`."""
        from tenuto.sdk.collections.workers import DispatcherCollection

        return DispatcherCollection(self.operations)

    @property
    def queues(self) -> "QueueCollection":
        """The queues: `await tn.queues.list()`, `await tn.queues.pause("mail")`."""
        from tenuto.sdk.collections.queues import QueueCollection

        return QueueCollection(self.operations)

    @property
    def limits(self) -> "LimitCollection":
        """The limits: `await tn.limits.list()`, `await tn.limits.get("key", "eu")`."""
        from tenuto.sdk.collections.queues import LimitCollection

        return LimitCollection(self.operations)

    @property
    def types(self) -> "TypeCollection":
        """The task types: `await tn.types.list()`, `await tn.types.get("shop.send")`."""
        from tenuto.sdk.collections.queues import TypeCollection

        return TypeCollection(self.operations)

    @property
    def groups(self) -> "GroupCollection":
        """The resource groups: `await tn.groups.set("batch", weight=2)`."""
        from tenuto.sdk.collections.groups import GroupCollection

        return GroupCollection(self.operations)

    @property
    def bundles(self) -> "BundleCollection":
        """The bundles: `await tn.bundles.list()`, `await tn.bundles.get(sha256)`."""
        from tenuto.sdk.collections.groups import BundleCollection

        return BundleCollection(self.operations)

    @property
    def keys(self) -> "ApiKeyCollection":
        """The API keys: `await tn.keys.create("ci", ["runs:write"])`. Works only over HTTP."""
        from tenuto.sdk.collections.keys import ApiKeyCollection

        return ApiKeyCollection(self._server)

    @property
    def worker_keys(self) -> "WorkerKeyCollection":
        """The worker keys: `await tn.worker_keys.create("fleet", ["mail"])`. Works only over HTTP."""
        from tenuto.sdk.collections.keys import WorkerKeyCollection

        return WorkerKeyCollection(self._server)

    async def status(self) -> "OrgStatus":
        """Return the number of tasks in each state, and the numbers of workers and side effects."""
        return await self.operations.get_status()

    async def get_data(self, id: UUID | str) -> "RunDataItem":
        """Return a value of run data by its id. `run.data` reads values by key."""
        from tenuto.sdk.collections.pages import read_uuid

        return await self.operations.get_run_data_value(read_uuid(id, "a value of run data"))


class SyncCollections(SyncDagAttributes):
    """The collections of an org, for synchronous code."""

    wait_for: Wait

    @property
    @abstractmethod
    def client(self) -> Collections:
        """The asynchronous client that makes the calls."""

    @abstractmethod
    def run(self, id: UUID | str) -> "SyncRun[Any]":
        """Return a handle for the run with this id."""

    @property
    def tasks(self) -> "SyncTaskCollection":
        """The tasks: `tn.tasks(status="failed")` lists them, `tn.tasks.get(id)` returns one."""
        from tenuto.sdk.collections.tasks import SyncTaskCollection

        return SyncTaskCollection(self.client.tasks, self.wait_for, self.run)

    @property
    def workers(self) -> "SyncWorkerCollection":
        """The workers: `tn.workers.list()`, `tn.workers.drain("w-1")`."""
        from tenuto.sdk.collections.workers import SyncWorkerCollection

        return SyncWorkerCollection(self.client.workers, self.wait_for)

    @property
    def dispatchers(self) -> "SyncDispatcherCollection":
        """The dispatchers: `tn.dispatchers.list()`."""
        from tenuto.sdk.collections.workers import SyncDispatcherCollection

        return SyncDispatcherCollection(self.client.dispatchers, self.wait_for)

    @property
    def queues(self) -> "SyncQueueCollection":
        """The queues: `tn.queues.list()`, `tn.queues.pause("mail")`."""
        from tenuto.sdk.collections.queues import SyncQueueCollection

        return SyncQueueCollection(self.client.queues, self.wait_for)

    @property
    def limits(self) -> "SyncLimitCollection":
        """The limits: `tn.limits.list()`, `tn.limits.get("key", "eu")`."""
        from tenuto.sdk.collections.queues import SyncLimitCollection

        return SyncLimitCollection(self.client.limits, self.wait_for)

    @property
    def types(self) -> "SyncTypeCollection":
        """The task types: `tn.types.list()`, `tn.types.get("shop.send")`."""
        from tenuto.sdk.collections.queues import SyncTypeCollection

        return SyncTypeCollection(self.client.types, self.wait_for)

    @property
    def groups(self) -> "SyncGroupCollection":
        """The resource groups: `tn.groups.set("batch", weight=2)`."""
        from tenuto.sdk.collections.groups import SyncGroupCollection

        return SyncGroupCollection(self.client.groups, self.wait_for)

    @property
    def bundles(self) -> "SyncBundleCollection":
        """The bundles: `tn.bundles.list()`, `tn.bundles.get(sha256)`."""
        from tenuto.sdk.collections.groups import SyncBundleCollection

        return SyncBundleCollection(self.client.bundles, self.wait_for)

    @property
    def keys(self) -> "SyncApiKeyCollection":
        """The API keys: `tn.keys.create("ci", ["runs:write"])`. Works only over HTTP."""
        from tenuto.sdk.collections.keys import SyncApiKeyCollection

        return SyncApiKeyCollection(self.client.keys, self.wait_for)

    @property
    def worker_keys(self) -> "SyncWorkerKeyCollection":
        """The worker keys: `tn.worker_keys.create("fleet", ["mail"])`. Works only over HTTP."""
        from tenuto.sdk.collections.keys import SyncWorkerKeyCollection

        return SyncWorkerKeyCollection(self.client.worker_keys, self.wait_for)

    def status(self) -> "OrgStatus":
        """Return the number of tasks in each state, and the numbers of workers and side effects."""
        return self.wait_for(self.client.status())

    def get_data(self, id: UUID | str) -> "RunDataItem":
        """Return a value of run data by its id. `run.data` reads values by key."""
        return self.wait_for(self.client.get_data(id))
