"""Deletes data that attempts of jobs wrote but never committed: files in the object store, and rows in Postgres."""

import asyncio
import logging
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID

from tenuto.db import datasets
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.attempt_files import DATASETS
from tenuto.model.datasets import VersionFolder
from tenuto.storage.base import StorageProblem, StorageUnavailable, Store, StoredItem

MIN_AGE = timedelta(days=1)  # minimum age of the newest file of an attempt before its files are deleted
VERSIONS_PER_TURN = 20

# Matches the folder of a partition and, inside it, the folder of an attempt: its task id and its number.
_ATTEMPT = re.compile(
    r"[^/]+/(?P<task>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})-(?P<attempt>[1-9][0-9]{0,8})/"
)

log = logging.getLogger("tenuto.dispatcher")


class Collector(Protocol):
    """The parts of a dispatcher that this module uses."""

    pool: ConnectionPool
    store: Store | None


async def collect_staging(dispatcher: Collector, limit: int) -> int:
    """Checks up to `limit` row sets, and searches the folders of some dataset versions. Each version is searched once
    per day. A folder that cannot be searched or deleted is logged and does not stop the others. Raises
    StorageUnavailable if the store does not respond."""
    pool, store = dispatcher.pool, dispatcher.store
    looked_at = await pool.call(datasets.collect_rows, limit=limit)
    if store is None:
        return looked_at
    for _ in range(VERSIONS_PER_TURN):
        # one at a time: if the store fails, the others stay due
        taken = await pool.call(datasets.take_staging_checks, limit=1)
        if not taken:
            return looked_at
        try:
            await _search(pool, store, taken[0])
        except StorageUnavailable:
            raise
        except StorageProblem as problem:
            log.warning("uncommitted files below %s could not be deleted: %s", taken[0].storage_location, problem)
    return limit  # there may be more versions to search


async def _search(pool: ConnectionPool, store: Store, version: VersionFolder) -> None:
    root, after = f"{DATASETS}{version.storage_location}", None
    while page := await asyncio.to_thread(store.list, root, after=after):
        after = page[-1].key
        for location in await _uncommitted(pool, version, _old_locations(page, root)):
            try:
                deleted = await asyncio.to_thread(store.delete_prefix, f"{root}{location}")
            except StorageUnavailable:
                raise
            except StorageProblem as problem:
                log.warning(
                    "uncommitted files at %s%s could not be deleted: %s", version.storage_location, location, problem
                )
            else:
                log.info("deleted %d uncommitted files at %s%s", deleted, version.storage_location, location)


def _old_locations(page: Iterable[StoredItem], root: str) -> list[re.Match[str]]:
    """Return the folders of attempts whose files in this page of a listing are all older than MIN_AGE. Files outside of
    such folders are never deleted."""
    newest: dict[str, datetime] = {}
    for item in page:
        if found := _ATTEMPT.match(item.key.removeprefix(root)):
            newest[found[0]] = max(newest.get(found[0], item.modified_at), item.modified_at)
    before = datetime.now(UTC) - MIN_AGE
    return [found for location, at in newest.items() if at < before and (found := _ATTEMPT.fullmatch(location))]


async def _uncommitted(pool: ConnectionPool, version: VersionFolder, found: list[re.Match[str]]) -> list[str]:
    """Return the folders whose data is not committed and will not be committed, as paths inside the folder of the
    version."""
    if not found:
        return []
    locations = await pool.call(
        datasets.find_uncommitted,
        org_id=version.org_id,
        version_id=version.version_id,
        locations=[f"{version.storage_location}{location[0]}" for location in found],
        task_ids=[UUID(location["task"]) for location in found],
        attempts=[int(location["attempt"]) for location in found],
    )
    return [location.removeprefix(version.storage_location) for location in locations]
