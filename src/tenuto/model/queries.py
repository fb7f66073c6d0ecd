"""Queries: the datasets that they read, and their results."""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from tenuto.model.json import Json, JsonObject

QueryFormat = Literal["json", "csv", "arrow"]
VERSIONS_HEADER = "Tenuto-Versions"
MEDIA_TYPES: dict[str, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "arrow": "application/vnd.apache.arrow.stream",
}


@dataclass(frozen=True)
class PinnedDataset:
    """The part of a dataset that a query reads: one version, and its committed folders (None: too many). Without a
    version there is none at the time or in the DAG version that was asked for."""

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
    """The version of a dataset that a query read. An input of a job that is no dataset has none."""

    dataset: str
    version_id: UUID | None
    dag: str
    dag_version: int | None

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

    def dicts(self) -> list[dict[str, Json]]:
        """Return the rows by the names of their columns."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]
