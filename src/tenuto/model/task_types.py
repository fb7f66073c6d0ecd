"""Task types as workers declare them."""

from dataclasses import dataclass
from datetime import datetime

from tenuto.model.json import Json, JsonObject

FUNCTION_TYPES = "tenuto.python."  # the type of a function that a job runs is this and the name of the function
MAX_FUNCTION_NAME = 200  # characters of a name in a DAG; the type of its tasks has at most 256
MAX_SCHEMA_BYTES = 16_384  # maximum size of the JSON Schema of a type's arguments


@dataclass(frozen=True)
class TaskTypeSummary:
    """A task type: the options of its tasks (`kind`, `limits`) as a worker declared them, and the hash of the bundle
    that runs it, if there is one."""

    type: str
    kind: JsonObject
    limits: Json
    declared_by: str | None
    declared_at: datetime | None
    bundle: str | None


@dataclass(frozen=True)
class TaskType(TaskTypeSummary):
    """A task type with the JSON Schema of its arguments by name, if a worker declared this schema. `x-positional` lists
    the arguments that can be passed by position. `schema_problem`: why the server refused the schema that the worker
    declared."""

    input_schema: JsonObject | None
    schema_problem: str | None


@dataclass(frozen=True)
class DeclaredType:
    """A type whose declaration changed, or whose schema was refused; `schema_problem` says why it was refused."""

    type: str
    changed: bool
    schema_problem: str | None


@dataclass(frozen=True)
class RefusedSchema:
    """A type whose inputs the server does not check, because it refused the schema that a worker declared."""

    type: str
    schema_problem: str
    declared_by: str


@dataclass(frozen=True)
class InputSchema:
    """The declared JSON Schema of a type's arguments, and its size in bytes."""

    type: str
    input_schema: JsonObject
    size: int
