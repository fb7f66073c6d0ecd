"""Repairs of data: the interface of clients and commands, and its implementation as requests to a server."""

from typing import Protocol
from urllib.parse import quote
from uuid import UUID

from tenuto.model.backfills import Backfill, BackfillPreview, BackfillScope, BackfillTask
from tenuto.model.invalidations import Invalidation, InvalidationScope
from tenuto.model.reconciliation import Reconciliation
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump


class RepairOperations(Protocol):
    """Operations that compute data of one org again."""

    async def start_backfill(self, scope: BackfillScope) -> Backfill: ...

    async def preview_backfill(self, scope: BackfillScope) -> BackfillPreview:
        """Return what a backfill would do now, without starting it."""
        ...

    async def list_backfills(
        self, *, dataset: str | None = None, status: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Backfill]: ...

    async def get_backfill(self, id: UUID) -> Backfill: ...

    async def list_backfill_tasks(
        self, id: UUID, *, after: UUID | None = None, limit: int = PAGE
    ) -> list[BackfillTask]: ...

    async def pause_backfill(self, id: UUID) -> None: ...

    async def resume_backfill(self, id: UUID) -> None: ...

    async def cancel_backfill(self, id: UUID) -> None: ...

    async def invalidate_dataset(self, scope: InvalidationScope) -> Invalidation: ...

    async def list_invalidations(
        self, *, dataset: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Invalidation]: ...

    async def get_invalidation(self, id: UUID) -> Invalidation: ...

    async def reconcile_dataset(self, dataset: str, *, after: str | None = None, limit: int = PAGE) -> Reconciliation:
        """Return missing partitions of a dataset, about `limit`, and why each is missing."""
        ...


class HttpRepairs:
    """Sends the operations that repair data to a server."""

    def __init__(self, http: Http) -> None:
        self.http = http

    async def start_backfill(self, scope: BackfillScope) -> Backfill:
        return read(Backfill, await self.http.request("POST", "/v1/backfills", dump(vars(scope))))

    async def preview_backfill(self, scope: BackfillScope) -> BackfillPreview:
        return read(BackfillPreview, await self.http.request("POST", "/v1/backfills/preview", dump(vars(scope))))

    async def list_backfills(
        self, *, dataset: str | None = None, status: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Backfill]:
        page = {"dataset": dataset, "status": status, "before": before, "limit": limit}
        params = {name: value for name, value in page.items() if value is not None}
        return read(list[Backfill], (await self.http.request("GET", "/v1/backfills", params=params))["items"])

    async def get_backfill(self, id: UUID) -> Backfill:
        return read(Backfill, await self.http.request("GET", f"/v1/backfills/{id}"))

    async def list_backfill_tasks(
        self, id: UUID, *, after: UUID | None = None, limit: int = PAGE
    ) -> list[BackfillTask]:
        params: dict[str, object] = {"limit": limit} if after is None else {"limit": limit, "after": after}
        return read(
            list[BackfillTask], (await self.http.request("GET", f"/v1/backfills/{id}/tasks", params=params))["items"]
        )

    async def pause_backfill(self, id: UUID) -> None:
        await self.http.request("POST", f"/v1/backfills/{id}/pause")

    async def resume_backfill(self, id: UUID) -> None:
        await self.http.request("POST", f"/v1/backfills/{id}/resume")

    async def cancel_backfill(self, id: UUID) -> None:
        await self.http.request("POST", f"/v1/backfills/{id}/cancel")

    async def invalidate_dataset(self, scope: InvalidationScope) -> Invalidation:
        body = {name: value for name, value in vars(scope).items() if name != "dataset"}
        path = f"/v1/datasets/{quote(scope.dataset, safe='')}/invalidate"
        return read(Invalidation, await self.http.request("POST", path, dump(body)))

    async def list_invalidations(
        self, *, dataset: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Invalidation]:
        page = {"dataset": dataset, "before": before, "limit": limit}
        params = {name: value for name, value in page.items() if value is not None}
        return read(list[Invalidation], (await self.http.request("GET", "/v1/invalidations", params=params))["items"])

    async def get_invalidation(self, id: UUID) -> Invalidation:
        return read(Invalidation, await self.http.request("GET", f"/v1/invalidations/{id}"))

    async def reconcile_dataset(self, dataset: str, *, after: str | None = None, limit: int = PAGE) -> Reconciliation:
        params: dict[str, object] = {"limit": limit} if after is None else {"limit": limit, "after": after}
        path = f"/v1/datasets/{quote(dataset, safe='')}/reconcile"
        return read(Reconciliation, await self.http.request("GET", path, params=params))
