"""Tasks of jobs: their inputs, and the folders to which their attempts write."""

from dataclasses import dataclass
from typing import cast
from urllib.parse import quote
from uuid import UUID

from tenuto.model.json import JsonObject

OPERATOR_TYPES = "tenuto."  # the types of jobs' tasks begin with this; clients cannot start tasks of such types
WHOLE_DATASET = "_all"  # the folder of data without a partition


@dataclass(frozen=True)
class InputLocation:
    """A folder that a job reads, and the partition in it. `id` is the id of the commit."""

    id: UUID
    partition: str | None
    location: str


@dataclass(frozen=True)
class JobInputs:
    """The inputs of a job, from the description in its task's input, and the version of the DAG."""

    dag: str
    dag_version: int
    inputs: list[JsonObject]


@dataclass(frozen=True)
class PageOfRows:
    """Rows of a dataset that is stored in Postgres: a list per row, with a text or None per column. `pages`: how many
    pages the location has."""

    rows: list[list[str | None]]
    pages: int


def is_table(description: JsonObject) -> bool:
    """Returns whether an input or output of a job is stored in Postgres, according to its description."""
    storage = cast("JsonObject", description.get("storage") or {})
    return storage.get("kind") == "postgres"


def partition_folder(partition: str | None) -> str:
    """Return the name of the folder of a partition. It is never `..`, a hidden folder or the folder of another
    partition."""
    if partition is None:
        return WHOLE_DATASET
    folder = quote(partition, safe="")
    return f"%{ord(folder[0]):02X}{folder[1:]}" if folder[0] in "._" else folder


def staging_prefix(location: str, partition: str | None, task_id: str, no: int) -> str:
    """Return the folder to which only this attempt writes, inside the location of a dataset version. `no` is the number
    of the attempt in its fence."""
    return f"{location}{partition_folder(partition)}/{task_id}-{no}/"
