"""Deletes the stored bytes of data objects whose rows are gone."""

import asyncio
import logging

from tenuto.model.run_data import CollectedObject
from tenuto.storage.base import StorageProblem, StorageUnavailable, Store

log = logging.getLogger("tenuto.dispatcher")


async def delete_collected(store: Store | None, collected: list[CollectedObject]) -> None:
    """Delete collected objects, after the transaction that removed their rows and outside of its time limit. Objects of
    another store are left to processes that use it. If the store does not respond, they stay in the list, and the error
    ends this turn of the loop: the next one begins with them."""
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
