"""Queries: the datasets that they read, and their results."""

from dataclasses import dataclass, field
from typing import Literal, cast
from uuid import UUID

from tenuto.model.errors import Conflict, TooLarge
from tenuto.model.json import Json, JsonObject

QueryFormat = Literal["json", "csv", "arrow"]
ExportFormat = Literal["csv", "arrow"]
DEFAULT_ROWS = 10_000
QUERY_SECONDS = 60.0  # how long a client waits for the response to a query
MAX_TASK_RESULT_BYTES = 16 << 20  # of the result of a task's query, which its worker holds in memory
VERSIONS_HEADER = "Tenuto-Versions"
MEDIA_TYPES: dict[str, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "arrow": "application/vnd.apache.arrow.stream",
}


def cut_result() -> Conflict:
    """Return the error for a result that ends before it is complete."""
    return Conflict(
        "the server ended the result of the query before it was complete",
        "it may have too many rows or bytes, or take too long: add a LIMIT, or raise max_rows",
    )


def too_large(max_bytes: int) -> TooLarge:
    """Return the error for a result that has more bytes than its reader can hold."""
    return TooLarge(f"the result of the query is larger than {max_bytes >> 20} MB", "select less, or add a LIMIT")


@dataclass(frozen=True)
class PinnedDataset:
    """The part of a dataset that a query reads: one version, and its committed folders (`locations`; None if there are
    too many). `version_id` is None if the dataset had no version at the requested time, or in the requested version of
    the DAG."""

    name: str
    dataset_id: UUID
    version_id: UUID | None
    dag: str
    dag_version: int | None
    storage: JsonObject | None
    storage_location: str | None
    columns: list[JsonObject] | None
    unique_key: list[str] | None
    locations: list[str] | None
    purged: bool
    where: JsonObject | None = None  # the filter of an input of a job


@dataclass(frozen=True)
class VersionRead:
    """The version of a dataset that a query read. An input of a job that is not a dataset has no version."""

    dataset: str
    version_id: UUID | None
    dag: str
    dag_version: int | None

    @staticmethod
    def from_json(body: JsonObject) -> "VersionRead":
        version_id, dag_version = body["version_id"], body["dag_version"]
        return VersionRead(
            dataset=str(body["dataset"]),
            version_id=UUID(str(version_id)) if version_id else None,
            dag=str(body["dag"]),
            dag_version=None if dag_version is None else int(str(dag_version)),
        )

    def to_json(self) -> JsonObject:
        return {
            "dataset": self.dataset,
            "version_id": str(self.version_id) if self.version_id else None,
            "dag": self.dag,
            "dag_version": self.dag_version,
        }


@dataclass(frozen=True)
class QueryColumn:
    """A column of a result, with its Arrow type."""

    name: str
    type: str


@dataclass(frozen=True)
class QueryResult:
    """The rows of a query, and the versions that it read. `truncated`: there are more rows than `max_rows`."""

    columns: list[QueryColumn]
    rows: list[list[Json]]
    versions: list[VersionRead] = field(default_factory=list[VersionRead])
    row_count: int = 0
    truncated: bool = False

    @staticmethod
    def from_json(body: JsonObject) -> "QueryResult":
        columns, versions = cast("list[JsonObject]", body["columns"]), cast("list[JsonObject]", body["versions"])
        return QueryResult(
            columns=[QueryColumn(str(column["name"]), str(column["type"])) for column in columns],
            rows=cast("list[list[Json]]", body["rows"]),
            versions=[VersionRead.from_json(version) for version in versions],
            row_count=int(str(body["row_count"])),
            truncated=body["truncated"] is True,
        )

    def dicts(self) -> list[dict[str, Json]]:
        """Return each row as a dict by column name."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]
