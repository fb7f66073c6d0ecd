"""The calls of a client about resource groups."""

from abc import ABC, abstractmethod

from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.transport import Transport


class GroupCalls:
    """Deletes resource groups."""

    transport: Transport

    async def delete_group(self, name: str) -> None:
        """Delete a resource group with its runs, which must have ended; dispatchers delete the runs in pieces."""
        await self.transport.delete_group(name)


class SyncGroupCalls(ABC):
    """Deletes resource groups, for synchronous code."""

    wait_for: Wait

    @property
    @abstractmethod
    def client(self) -> GroupCalls:
        """The client that the calls are made with."""

    def delete_group(self, name: str) -> None:
        """Delete a resource group with its runs, which must have ended; dispatchers delete the runs in pieces."""
        self.wait_for(self.client.delete_group(name))
