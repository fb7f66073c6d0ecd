"""The data of a query on the trusted side: the files of its views, and the bytes that its process asks for."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, TypeVar, TypeVarTuple, cast
from uuid import UUID

from tenuto.model.jobs import PageOfRows
from tenuto.model.json import Json, JsonObject
from tenuto.model.queries import PinnedDataset
from tenuto.query.limits import QueryLimits
from tenuto.query.process import QueryFailed, Views
from tenuto.sdk.values.wire_format import dump
from tenuto.storage.base import StorageProblem, Store, TooManyObjects, check_prefix
from tenuto.storage.listing import GLOB, stored_files

MAX_OPEN_FILES = 32  # of one query
MAX_LISTED_FILES = 100_000  # remembered at a time
LISTINGS_AT_ONCE = 4  # of one query
MARKS = 1  # number of objects of a partition that are not data

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
ReadRows = Callable[[int, UUID, str, int], Awaitable[PageOfRows]]  # parameters: view, version, location, page


@dataclass(frozen=True)
class StoredFile:
    """One Parquet file of a committed partition."""

    key: str
    size: int


@dataclass(frozen=True)
class StoredRows:
    """The rows at one location of a dataset that is stored in Postgres. `view`: the position of the dataset in the
    query."""

    view: int
    version_id: UUID
    location: str


class FileLists:
    """Remembers the files of committed partitions, which never change; the least recently used are forgotten."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, str], list[StoredFile]] = OrderedDict()
        self._count, self._turn = 0, threading.Lock()

    def files(self, location: str, glob: str, max_files: int) -> list[StoredFile]:
        """Return the files at a location. Blocks while the store lists them. Raises TooManyObjects as soon as there are
        more than `max_files`."""
        with self._turn:
            known = self._known.get((location, glob))
            if known is not None:
                self._known.move_to_end((location, glob))
                return known
        listed = stored_files(self._store, check_prefix(location), glob, max_objects=max_files + MARKS)
        found = [StoredFile(item.key, item.size) for item in listed]
        self._remember((location, glob), found)
        return found

    def _remember(self, place: tuple[str, str], found: list[StoredFile]) -> None:
        with self._turn:
            self._count -= _weight(self._known.pop(place, None))  # another query may have listed it too
            self._known[place] = found
            self._count += _weight(found)
            while self._count > MAX_LISTED_FILES:
                self._count -= _weight(self._known.popitem(last=False)[1])


def _weight(files: list[StoredFile] | None) -> int:
    return 0 if files is None else len(files) + 1


class DatasetData:
    """The files and rows of one query, by number."""

    def __init__(self, files: "QueryFiles", items: Sequence[StoredFile | StoredRows], read_rows: ReadRows) -> None:
        self._files, self._items, self._read_rows = files, items, read_rows
        self._open: OrderedDict[int, BinaryIO] = OrderedDict()

    async def read(self, number: int, offset: int, length: int) -> bytes:
        """Return a range of a file. Raises QueryFailed if the query has no such file, or the file no such range."""
        item = self._items[number] if 0 <= number < len(self._items) else None
        if not isinstance(item, StoredFile) or offset < 0 or offset + length > item.size:
            raise QueryFailed(f"the query was ended: its process asked for bytes that file {number} does not have")
        return await self._files.in_thread(self._read, number, item.key, offset, length)

    async def rows(self, number: int, page: int) -> bytes:
        """Return a page of rows as JSON."""
        item = self._items[number] if 0 <= number < len(self._items) else None
        if not isinstance(item, StoredRows):
            raise QueryFailed(f"the query was ended: its process asked for rows of item {number}, which has no rows")
        found = await self._read_rows(item.view, item.version_id, item.location, page)
        return dump({"rows": found.rows, "pages": found.pages}).encode()

    def close(self) -> None:
        while self._open:
            with suppress(OSError):
                self._open.popitem()[1].close()

    def _read(self, number: int, key: str, offset: int, length: int) -> bytes:
        file = self._open.get(number)
        try:
            if file is None:
                if len(self._open) >= MAX_OPEN_FILES:
                    self._open.popitem(last=False)[1].close()
                file = self._open[number] = self._files.store.open(key)
            self._open.move_to_end(number)
            file.seek(offset)
            return file.read(length)
        except OSError as error:
            raise StorageProblem(f"cannot read {key}: {error}") from error


class QueryFiles:
    """The files of datasets in an object store, read by threads that serve only queries. There are enough threads for
    all queries that run at a time, so that no query waits for the threads of another."""

    def __init__(self, store: Store, running: int) -> None:
        self.store, self.lists = store, FileLists(store)
        self._threads = ThreadPoolExecutor(running * LISTINGS_AT_ONCE, "tenuto-query-files")

    async def in_thread(self, function: Callable[[*Ts], T], *args: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class _FileCount:
    """Counts the files of a query while they are listed."""

    def __init__(self, limit: int) -> None:
        self._limit = self.left = limit

    def take(self, files: Sequence[object]) -> None:
        self.left -= len(files)
        if self.left < 0:
            raise self.too_many()

    def too_many(self) -> QueryFailed:
        return QueryFailed(f"the query reads more than {self._limit:,} files", "compact the dataset")


async def open_views(
    pinned: Sequence[PinnedDataset], files: QueryFiles, read_rows: ReadRows, limits: QueryLimits
) -> tuple[Views, DatasetData]:
    """Return the views of a query over these datasets, and their data, which the caller must close."""
    turns, count = asyncio.Semaphore(LISTINGS_AT_ONCE), _FileCount(limits.files)

    async def files_at(location: str, glob: str) -> list[StoredFile]:
        async with turns:
            try:
                found = await files.in_thread(files.lists.files, location, glob, count.left)
            except TooManyObjects:
                raise count.too_many() from None
            count.take(found)
            return found

    items: list[StoredFile | StoredRows] = []
    views: list[JsonObject] = []
    for number, dataset in enumerate(pinned):
        parts: list[list[StoredFile] | list[StoredRows]] = []
        storage = dataset.storage or {}
        locations = _checked_locations(dataset)
        if is_rows := storage.get("kind") == "postgres":
            version_id = cast(UUID, dataset.version_id)
            parts = [[StoredRows(number, version_id, location)] for location in locations]
        else:
            glob = str(storage.get("glob") or GLOB)
            parts = list(await _together([files_at(location, glob) for location in locations]))
        view: list[Json] = []
        for part in parts:
            view.append([_numbered(len(items) + no, item) for no, item in enumerate(part)])
            items.extend(part)
        views.append(
            {
                "name": dataset.name,
                "kind": "rows" if is_rows else "parquet",
                "columns": cast(Json, dataset.columns),
                "unique_key": cast(Json, dataset.unique_key),
                "where": dataset.where,
                "parts": view,
            }
        )
    data = DatasetData(files, items, read_rows)
    return Views(views, data), data


async def _together(listings: Sequence[Coroutine[None, None, list[StoredFile]]]) -> list[list[StoredFile]]:
    """Return all lists of files. If one listing fails, listings that have not begun are cancelled."""
    tasks = [asyncio.ensure_future(listing) for listing in listings]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _checked_locations(dataset: PinnedDataset) -> list[str]:
    """Return the locations. Raises QueryFailed if there are too many, or if one is outside of the folder of its
    version: it could belong to another dataset."""
    if dataset.locations is None:
        raise QueryFailed(f"{dataset.name} has more than 1,000 committed partitions", "query a compacted dataset")
    for location in dataset.locations:
        if not location.startswith(dataset.storage_location or "\0"):
            raise QueryFailed(f"the data of {dataset.name} is outside of its folder")
    return dataset.locations


def _numbered(number: int, item: StoredFile | StoredRows) -> JsonObject:
    return {"no": number, "size": item.size if isinstance(item, StoredFile) else 0}
