"""Deletes the files of data objects whose rows were deleted."""

import asyncio
import logging

from tenuto.model.run_data import CollectedObject
from tenuto.storage.base import StorageProblem, StorageUnavailable, Store

log = logging.getLogger("tenuto.dispatcher")


async def delete_collected(store: Store | None, collected: list[CollectedObject]) -> None:
    """Deletes the files of collected objects, after the transaction that deleted their rows and outside of its time
    limit. A file that cannot be deleted, such as one of another store, is only logged. If the store does not respond,
    raises StorageUnavailable; the objects stay in the list, and the next turn of the loop begins with them."""
    while collected:
        gone = collected.pop()
        if gone.uri is None or store is None:
            continue
        try:
            await asyncio.to_thread(store.delete, store.key_of(gone.uri))
        except StorageUnavailable:
            collected.append(gone)
            raise
        except StorageProblem as problem:
            log.warning("data object %s is deleted, but its file is not: %s", gone.id, problem)
