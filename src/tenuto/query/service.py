"""Runs queries: resolves the datasets, checks that the caller may read them, and only then passes their data to a
process."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from tenuto.model.errors import InvalidInput, NotFound, TenutoError
from tenuto.model.jobs import PageOfRows
from tenuto.model.queries import DEFAULT_ROWS, PinnedDataset, QueryFormat, VersionRead
from tenuto.query.as_of import AsOf, parse_as_of
from tenuto.query.limits import MAX_ROWS, MAX_SQL_CHARS
from tenuto.query.pool import ProcessPool
from tenuto.query.process import QueryEnd, QueryFailed, QueryProcess, Views
from tenuto.query.shape import shape_of
from tenuto.query.sources import DatasetData, QueryFiles, open_views
from tenuto.storage.base import StorageProblem, Store

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")


@dataclass(frozen=True)
class QueryInput:
    """One query, as the client sent it."""

    sql: str
    as_of: str | None = None
    format: QueryFormat = "json"
    max_rows: int = DEFAULT_ROWS


class Catalog(Protocol):
    """The datasets that the caller of a query can read. `pin` leaves out datasets that do not exist and datasets that
    the caller may not read, so that both look the same."""

    async def pin(self, names: list[str], as_of: AsOf) -> Sequence[PinnedDataset]: ...

    async def read_rows(self, number: int, version_id: UUID, location: str, page: int) -> PageOfRows:
        """Return a page of rows of a dataset. `number`: the position of the dataset in the result of `pin`."""
        ...

    async def record(self, action: str, shape: str, versions: Sequence[VersionRead]) -> None:
        """Write the query to the audit log, with the action `run` or `deny`."""
        ...


@dataclass(frozen=True)
class RunningQuery:
    """A query whose result has begun to arrive."""

    versions: list[VersionRead]
    blocks: AsyncIterator[bytes]


class QueryService:
    """Runs queries of all callers over the datasets in one object store."""

    def __init__(self, pool: ProcessPool, store: Store) -> None:
        self._pool, self.limits = pool, pool.limits
        self._files = QueryFiles(store, pool.max_running)

    async def close(self) -> None:
        await self._pool.close()
        self._files.close()

    @asynccontextmanager
    async def open(self, query: QueryInput, catalog: Catalog, org_id: UUID) -> AsyncGenerator[RunningQuery]:
        """Run a query of an org; the end of the block ends the query. The block is entered when the first part of the
        result has arrived. A query that is refused, or that fails before this, raises an error here."""
        as_of = _checked(query)
        async with self._pool.process(org_id) as process:
            deadline = _Deadline(process, self.limits.seconds)
            with deadline:
                pinned = await self._resolve(process, query, as_of, catalog)
                versions = [VersionRead(one.name, one.version_id, one.dag, one.dag_version) for one in pinned]
                await catalog.record("run", shape_of(query.sql), versions)
                async with aclosing(self._blocks(process, query, pinned, catalog)) as blocks:
                    first = await anext(blocks)
                    yield RunningQuery(versions, _joined(first, blocks))

    async def _resolve(
        self, process: QueryProcess, query: QueryInput, as_of: AsOf, catalog: Catalog
    ) -> Sequence[PinnedDataset]:
        """Return the datasets that the query reads, each at one version. Raises NotFound if the caller cannot read one
        of them. Refused queries are recorded."""
        try:
            names = await process.parse(query.sql, query.format, query.max_rows)
            known = sorted({name.lower() for name in names if _NAME.fullmatch(name)})
            pinned: Sequence[PinnedDataset] = await catalog.pin(known, as_of) if known else ()
            readable = {one.name for one in pinned}
            for name in names:
                if name.lower() not in readable:
                    raise NotFound(f"there is no dataset {name:.128} that you can read")
            _check_versions(pinned, as_of)
            return pinned
        except TenutoError:
            await catalog.record("deny", shape_of(query.sql), [])
            raise

    async def _blocks(
        self, process: QueryProcess, query: QueryInput, pinned: Sequence[PinnedDataset], catalog: Catalog
    ) -> AsyncGenerator[bytes]:
        data: DatasetData | None = None
        try:
            views, data = await self._open_views(pinned, catalog)
            async with aclosing(process.run(views)) as blocks:
                async for block in blocks:
                    if not isinstance(block, QueryEnd):
                        yield block
                    elif block.truncated and query.format != "json":
                        raise QueryFailed(
                            f"the result has more than {query.max_rows:,} rows, which {query.format} cannot show",
                            "add a LIMIT, or raise max_rows",
                        )
        except StorageProblem as problem:
            raise QueryFailed(f"the data cannot be read: {problem}") from problem
        finally:
            if data is not None:
                data.close()

    async def _open_views(self, pinned: Sequence[PinnedDataset], catalog: Catalog) -> tuple[Views, DatasetData]:
        try:
            async with asyncio.timeout(self.limits.seconds):  # the end of the process does not end a listing
                return await open_views(pinned, self._files, catalog.read_rows, self.limits)
        except TimeoutError:
            raise QueryFailed("the object store takes too long to list the files", "try again") from None


class _Deadline:
    """Ends the process of a query that runs for too long, even while the client does not read its result."""

    def __init__(self, process: QueryProcess, seconds: float) -> None:
        self._process, self._seconds = process, seconds
        self._passed = False

    def __enter__(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._seconds, self._end_at_deadline)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        self._timer.cancel()
        if self._passed and isinstance(error, QueryFailed):
            raise QueryFailed(f"the query ran for more than {self._seconds:.15g} s", "select less data") from None

    def _end_at_deadline(self) -> None:
        self._passed = True
        self._process.kill()


def _checked(query: QueryInput) -> AsOf:
    if len(query.sql) > MAX_SQL_CHARS:
        raise InvalidInput(f"the query has {len(query.sql):,} characters", f"{MAX_SQL_CHARS:,} are allowed")
    if not 1 <= query.max_rows <= MAX_ROWS:
        raise InvalidInput(f"max_rows is {query.max_rows}", f"write 1 to {MAX_ROWS:,}")
    return parse_as_of(query.as_of)


def _check_versions(pinned: Sequence[PinnedDataset], as_of: AsOf) -> None:
    """Raise an error if a dataset has no such version, or if the data of the version was purged. Also if `as_of` is a
    DAG version without a DAG and the datasets belong to several DAGs, or if no dataset has the DAG or the version of
    `as_of`."""
    for dataset in pinned:
        if dataset.version_id is None and dataset.storage is None:
            raise NotFound(f"{dataset.name} has no such version", "see `tenuto datasets versions`")
        if dataset.purged:
            raise NotFound(f"the data of {dataset.name} in this version was purged", "deploy to compute it again")
    dags = sorted({dataset.dag for dataset in pinned})
    if as_of.dag_version is not None and as_of.dag is None and len(dags) > 1:
        raise InvalidInput(
            f"as_of is {as_of.dag_version}, and the query reads datasets of {', '.join(dags)}",
            f"write {dags[0]}@{as_of.dag_version}",
        )
    if as_of.dag is not None and as_of.dag not in dags:
        raise InvalidInput(f"as_of names the DAG {as_of.dag}, and the query reads none of its datasets")
    if as_of.version_id is not None and as_of.version_id not in {dataset.version_id for dataset in pinned}:
        raise InvalidInput(f"as_of is {as_of.version_id}, and no dataset of the query has this version")


def json_head(versions: Sequence[VersionRead]) -> bytes:
    """Return the beginning of a result in JSON. The blocks of the query follow it."""
    return f'{{"versions":{json.dumps([version.to_json() for version in versions])},'.encode()


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for block in rest:
        yield block
