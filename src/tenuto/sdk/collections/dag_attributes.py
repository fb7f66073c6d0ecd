"""The attributes of clients that are collections of DAGs, jobs, datasets, repairs and alerts: `tn.dags`, `tn.jobs`,
…"""

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from tenuto.sdk.client.query_calls import QueryCalls, SyncQueryCalls
from tenuto.sdk.client.sql_transport import SqlTransport

if TYPE_CHECKING:
    from tenuto.sdk.app import App
    from tenuto.sdk.collections.alerts import AlertCollection, SyncAlertCollection
    from tenuto.sdk.collections.backfills import BackfillCollection, SyncBackfillCollection
    from tenuto.sdk.collections.dags import DagCollection, JobCollection, SyncDagCollection, SyncJobCollection
    from tenuto.sdk.collections.datasets import DatasetCollection, SyncDatasetCollection
    from tenuto.sdk.collections.invalidations import InvalidationCollection, SyncInvalidationCollection
    from tenuto.sdk.operations.alerts import AlertOperations
    from tenuto.sdk.operations.dags import DagOperations
    from tenuto.sdk.operations.repairs import RepairOperations


class DagAttributes(QueryCalls):
    """DAGs, jobs and datasets, for asynchronous code. Modules are imported on first use."""

    app: "App | None"

    @cached_property
    def dag_operations(self) -> "DagOperations":
        """The operations on DAGs, over the transport of the client."""
        transport = self.transport
        if isinstance(transport, SqlTransport):
            from tenuto.model.os_user import os_user
            from tenuto.sdk.operations.sql_dags import SqlDags

            return SqlDags(transport.pool, transport.org_id, actor=os_user())
        from tenuto.sdk.operations.dags import HttpDags

        return HttpDags(self._server)

    @cached_property
    def repair_operations(self) -> "RepairOperations":
        """The operations that repair data, over the transport of the client."""
        transport = self.transport
        if isinstance(transport, SqlTransport):
            from tenuto.model.os_user import os_user
            from tenuto.sdk.operations.sql_repairs import SqlRepairs

            return SqlRepairs(transport.pool, transport.org_id, actor=os_user())
        from tenuto.sdk.operations.repairs import HttpRepairs

        return HttpRepairs(self._server)

    @cached_property
    def alert_operations(self) -> "AlertOperations":
        """The operations on alerts, over the transport of the client."""
        from tenuto.sdk.operations.alerts import HttpAlerts, SqlAlerts

        transport = self.transport
        if isinstance(transport, SqlTransport):
            from tenuto.model.os_user import os_user

            return SqlAlerts(transport.pool, transport.org_id, actor=os_user())
        return HttpAlerts(self._server)

    @property
    def alerts(self) -> "AlertCollection":
        """The alerts: `await tn.alerts.list(status="firing")`, `await tn.alerts.acknowledge(id)`."""
        from tenuto.sdk.collections.alerts import AlertCollection

        return AlertCollection(self.alert_operations)

    @property
    def dags(self) -> "DagCollection":
        """The DAGs: `await tn.dags.deploy(Path("orders.yaml"))`, `await tn.dags.cutover("orders")`."""
        from tenuto.sdk.collections.dags import DagCollection

        return DagCollection(self.dag_operations, self.app)

    @property
    def jobs(self) -> "JobCollection":
        """The jobs of DAGs: `await tn.jobs.list(dag="orders")`, `await tn.jobs.pause("orders", "daily")`."""
        from tenuto.sdk.collections.dags import JobCollection

        return JobCollection(self.dag_operations)

    @property
    def datasets(self) -> "DatasetCollection":
        """The datasets: `await tn.datasets.get("orders_daily")`, `await tn.datasets.grant("orders_daily", "sales")`."""
        from tenuto.sdk.collections.datasets import DatasetCollection

        return DatasetCollection(self.dag_operations)

    @property
    def backfills(self) -> "BackfillCollection":
        """The backfills: `await tn.backfills.start("orders_daily", first="2026-11-01", last="2026-11-07")`."""
        from tenuto.sdk.collections.backfills import BackfillCollection

        return BackfillCollection(self.repair_operations)

    @property
    def invalidations(self) -> "InvalidationCollection":
        """The invalidations: `await tn.invalidations.start("orders", "a wrong rate", partitions=["2026-11-01"])`."""
        from tenuto.sdk.collections.invalidations import InvalidationCollection

        return InvalidationCollection(self.repair_operations)


class SyncDagAttributes(SyncQueryCalls):
    """DAGs, jobs and datasets, for synchronous code."""

    @property
    @abstractmethod
    def client(self) -> DagAttributes:
        """The asynchronous client that makes the calls."""

    @property
    def dags(self) -> "SyncDagCollection":
        """The DAGs: `tn.dags.deploy(Path("orders.yaml"))`, `tn.dags.cutover("orders")`."""
        from tenuto.sdk.collections.dags import SyncDagCollection

        return SyncDagCollection(self.client.dags, self.wait_for)

    @property
    def jobs(self) -> "SyncJobCollection":
        """The jobs of DAGs: `tn.jobs.list(dag="orders")`, `tn.jobs.pause("orders", "daily")`."""
        from tenuto.sdk.collections.dags import SyncJobCollection

        return SyncJobCollection(self.client.jobs, self.wait_for)

    @property
    def datasets(self) -> "SyncDatasetCollection":
        """The datasets: `tn.datasets.get("orders_daily")`, `tn.datasets.grant("orders_daily", "sales")`."""
        from tenuto.sdk.collections.datasets import SyncDatasetCollection

        return SyncDatasetCollection(self.client.datasets, self.wait_for)

    @property
    def backfills(self) -> "SyncBackfillCollection":
        """The backfills: `tn.backfills.start("orders_daily", first="2026-11-01", last="2026-11-07")`."""
        from tenuto.sdk.collections.backfills import SyncBackfillCollection

        return SyncBackfillCollection(self.client.backfills, self.wait_for)

    @property
    def invalidations(self) -> "SyncInvalidationCollection":
        """The invalidations: `tn.invalidations.start("orders", "a wrong rate", partitions=["2026-11-01"])`."""
        from tenuto.sdk.collections.invalidations import SyncInvalidationCollection

        return SyncInvalidationCollection(self.client.invalidations, self.wait_for)

    @property
    def alerts(self) -> "SyncAlertCollection":
        """The alerts: `tn.alerts.list(status="firing")`, `tn.alerts.acknowledge(id)`."""
        from tenuto.sdk.collections.alerts import SyncAlertCollection

        return SyncAlertCollection(self.client.alerts, self.wait_for)
