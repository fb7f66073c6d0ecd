"""The fields of outputs in DAG documents: storage, partition, columns, checks."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from tenuto.dag.value_types import (
    ColumnName,
    ColumnType,
    DatasetName,
    Glob,
    MaxAge,
    Name,
    Period,
    SourceColumn,
    Summary,
)


class Fields(BaseModel):
    """A mapping of a DAG document: unknown keys and values of another type are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Storage(Fields):
    """Where the data of an output is stored."""

    kind: Literal["file", "postgres"] = Field(
        description="file: in the object store of the installation, a folder or a bucket. postgres: in a table."
    )
    format: Literal["parquet"] = Field(default="parquet", description="Format of the files.")
    glob: Glob = Field(default="**/*.parquet", description="Which files below the prefix of a version are read.")


class RangePartition(Fields):
    """Partitions by ranges of an integer column. A range includes its start and excludes its end."""

    kind: Literal["range"]
    column: ColumnName = Field(description="The integer column.")
    size: int | None = Field(default=None, ge=1, le=2**53 - 1, description="Length of a range.")


class TimePartition(Fields):
    """Partitions by hour, day, week or month of a time column, in UTC."""

    kind: Literal["time"]
    column: ColumnName = Field(description="The time column.")
    every: Period = Field(description="Length of a partition.")


class KeyPartition(Fields):
    """One partition per value of a column."""

    kind: Literal["key"]
    column: ColumnName = Field(description="The column whose value is the partition key.")


class Column(Fields):
    """One declared column of an output."""

    name: ColumnName
    type: ColumnType = Field(description="Such as BIGINT, VARCHAR or DECIMAL(18,2).")
    not_null: bool = Field(default=False, description="Whether every row must have a value.")
    description: Summary | None = None


class CheckFields(Fields):
    """Fields that every check has."""

    name: Name | None = Field(default=None, description="Name in results. Default: its kind.")
    severity: Literal["error", "warn"] = Field(
        default="error", description="error: refuse the data. warn: only record the result."
    )


class NotNullCheck(CheckFields):
    """Passes if every row has a value in these columns."""

    kind: Literal["not_null"]
    columns: list[ColumnName] = Field(min_length=1, max_length=100)


class UniqueCheck(CheckFields):
    """Passes if no two rows have the same values in these columns."""

    kind: Literal["unique"]
    columns: list[ColumnName] = Field(min_length=1, max_length=100)


class RangeCheck(CheckFields):
    """Passes if every value of a column is within bounds, which are inclusive."""

    kind: Literal["range"]
    column: ColumnName
    min: float | None = None
    max: float | None = None


class FreshnessCheck(CheckFields):
    """Passes if the data, or the latest value of a time column, is not older than `max_age`."""

    kind: Literal["freshness"]
    max_age: MaxAge
    column: ColumnName | None = None


class RowCountCheck(CheckFields):
    """Passes if the number of rows is within bounds, which are inclusive."""

    kind: Literal["row_count"]
    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)


class SqlCheck(CheckFields):
    """Passes if a SELECT over the data returns no rows."""

    kind: Literal["sql"]
    sql: str = Field(min_length=1, max_length=65_536)


class Retention(Fields):
    """How much of an output is kept."""

    keep_versions: int = Field(ge=1, le=1000, description="How many versions `datasets purge` keeps.")


Partition = Annotated[RangePartition | TimePartition | KeyPartition, Field(discriminator="kind")]
AnyCheck = Annotated[
    NotNullCheck | UniqueCheck | RangeCheck | FreshnessCheck | RowCountCheck | SqlCheck, Field(discriminator="kind")
]


def _lineage_kind(value: object) -> str:
    """Selects by the value's type which variant of `lineage` validates it, so that a wrong value gets one error message
    instead of one per variant."""
    return "columns" if isinstance(value, dict) else "word"


Lineage = Annotated[
    Annotated[Literal["auto", "declared", "off"], Tag("word")]
    | Annotated[
        Annotated[
            dict[ColumnName, Annotated[list[SourceColumn], Field(min_length=1, max_length=1000)]],
            Field(min_length=1, max_length=1000),
        ],
        Tag("columns"),
    ],
    Discriminator(_lineage_kind),
]


class OutputFields(Fields):
    """One output of a job. Its position in the list is its identity."""

    name: Name | None = Field(default=None, description="Name for references inside of the DAG.")
    dataset: DatasetName | None = Field(
        default=None, description="Publishes the output under this name, unique in the org."
    )
    renamed_from: DatasetName | None = Field(
        default=None, description="Old name of the dataset, which keeps its identity."
    )
    append_to: DatasetName | None = Field(
        default=None,
        description="Appends the rows to this dataset of a sink of the DAG. Several jobs can append to it.",
    )
    description: Summary | None = None
    storage: Storage | None = Field(default=None, description="Default: files, as Parquet.")
    partition: Partition | None = None
    columns: list[Column] | None = Field(
        default=None, min_length=1, max_length=1000, description="The columns that the data must have."
    )
    checks: list[AnyCheck] = Field(default=[], max_length=100, description="Checks before the data becomes visible.")
    retention: Retention | None = None
    lineage: Lineage = Field(
        default="auto",
        description="How column lineage is found. auto: from the SELECT. declared: only by ctx.lineage. off: not at "
        "all. Or the lineage itself: for each column the columns that it is computed from, as INPUT.COLUMN.",
    )
