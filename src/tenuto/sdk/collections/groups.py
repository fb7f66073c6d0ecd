"""Resource groups and bundles: `await tn.groups.set("batch", weight=2)`, `await tn.bundles.get(sha256)`."""

from typing import TYPE_CHECKING

from tenuto.model.bundles import StoredBundle, WholeBundle
from tenuto.model.identity import ResourceGroup
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations


class GroupCollection:
    """The resource groups of an org: shares of its capacity."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def get(self, name: str) -> ResourceGroup:
        """Return a resource group by its name."""
        return await self._operations.get_group(name)

    async def set(self, name: str, *, weight: int = 1, quota: int | None = None) -> ResourceGroup:
        """Create a resource group, or change its weight and quota. The quota is how many of its tasks may run at the
        same time."""
        await self._operations.set_group(name, weight=weight, quota=quota)
        return await self.get(name)

    async def delete(self, name: str) -> None:
        """Delete a resource group with its runs. Raises Conflict if a run has not ended. Dispatchers delete the runs in
        pieces."""
        await self._operations.delete_group(name)

    async def list(self) -> list[ResourceGroup]:
        """Return all resource groups, by name."""
        return await all_pages(lambda last: self._operations.list_groups(after=last and last.external_id))


class SyncGroupCollection:
    """The resource groups of an org, for synchronous code."""

    def __init__(self, groups: GroupCollection, wait: Wait) -> None:
        self._groups, self._wait = groups, wait

    def get(self, name: str) -> ResourceGroup:
        """Return a resource group by its name."""
        return self._wait(self._groups.get(name))

    def set(self, name: str, *, weight: int = 1, quota: int | None = None) -> ResourceGroup:
        """Create a resource group, or change its weight and quota. The quota is how many of its tasks may run at the
        same time."""
        return self._wait(self._groups.set(name, weight=weight, quota=quota))

    def delete(self, name: str) -> None:
        """Delete a resource group with its runs. Raises Conflict if a run has not ended. Dispatchers delete the runs in
        pieces."""
        self._wait(self._groups.delete(name))

    def list(self) -> list[ResourceGroup]:
        """Return all resource groups, by name."""
        return self._wait(self._groups.list())


class BundleCollection:
    """The bundles of an org: uploaded code that runs in sandboxes. `tenuto bundle push` uploads one."""

    def __init__(self, operations: "Operations") -> None:
        self._operations = operations

    async def get(self, sha256: str) -> WholeBundle:
        """Return a bundle with its manifest, by its hash."""
        return await self._operations.get_bundle(sha256)

    async def list(self) -> list[StoredBundle]:
        """Return all bundles, newest first."""
        return await all_pages(lambda last: self._operations.list_bundles(before=last and last.id))


class SyncBundleCollection:
    """The bundles of an org, for synchronous code."""

    def __init__(self, bundles: BundleCollection, wait: Wait) -> None:
        self._bundles, self._wait = bundles, wait

    def get(self, sha256: str) -> WholeBundle:
        """Return a bundle with its manifest, by its hash."""
        return self._wait(self._bundles.get(sha256))

    def list(self) -> list[StoredBundle]:
        """Return all bundles, newest first."""
        return self._wait(self._bundles.list())
