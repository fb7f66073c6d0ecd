"""Tasks of jobs: the description that their input holds, and the folders that their attempts write to."""

import json
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote
from uuid import UUID

from tenuto.model.json import JsonObject

OPERATOR_TYPES = "tenuto."  # the types of tasks of jobs begin with it; other starts cannot use them
WHOLE_DATASET = "_all"  # the folder of data without a partition


@dataclass(frozen=True)
class InputLocation:
    """A folder that a job reads, and the partition in it; `id` is that of its commit."""

    id: UUID
    partition: str | None
    location: str


@dataclass(frozen=True)
class JobInputs:
    """The inputs of a job as the description of its task has them, and the DAG version that it belongs to."""

    dag: str
    dag_version: int
    inputs: list[JsonObject]


@dataclass(frozen=True)
class PageOfRows:
    """Rows of a dataset that is stored in Postgres: a list per row, with a text or None per column. `pages`: how many
    the location has."""

    rows: list[list[str | None]]
    pages: int


def job_of(type: str, input: str | None) -> JsonObject | None:
    """Return the description of the job that a task belongs to, from its type and input; None for other tasks."""
    if input is None or not type.startswith(OPERATOR_TYPES):
        return None
    return cast("JsonObject", json.loads(input)["job"])


def is_table(description: JsonObject) -> bool:
    """Whether an input or output of a job is stored in Postgres, as its description says."""
    storage = cast("JsonObject", description.get("storage") or {})
    return storage.get("kind") == "postgres"


def partition_folder(partition: str | None) -> str:
    """Return the name of the folder of a partition. Keys never become `..`, a hidden folder or another partition."""
    if partition is None:
        return WHOLE_DATASET
    folder = quote(partition, safe="")
    return f"%{ord(folder[0]):02X}{folder[1:]}" if folder[0] in "._" else folder


def staging_prefix(location: str, partition: str | None, task_id: str, no: int) -> str:
    """Return the folder that only this attempt writes to, below the location of a dataset version. `no` is the number
    of the attempt in its fence."""
    return f"{location}{partition_folder(partition)}/{task_id}-{no}/"
