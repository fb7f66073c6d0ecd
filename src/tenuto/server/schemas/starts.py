"""Request bodies of starts: a task, a graph of tasks that refer to each other by name."""

from typing import Annotated, Literal, cast
from uuid import UUID

from pydantic import Discriminator, Field, Tag

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import CatchUp, EndName, LimitScope
from tenuto.model.tasks import MAX_TASKS
from tenuto.server.schemas.base import WHOLE, Int, Label, Moment, Name, RequestModel, Seconds

MAX_STARTS = 10_000

Arguments = JsonObject | list[Json]  # an object of arguments by name, or a list of arguments in order
Input = Arguments | str | bool | int | float  # a value that is neither a list nor an object is the first argument
RunUuid = Annotated[UUID, Field(strict=False)]


class LimitSpec(RequestModel):
    """A limit: at most `size` tasks with this key run at a time. With scope `rate`: at most `size` tasks with this key
    start per period of `seconds`."""

    scope: LimitScope
    key: Annotated[str, Field(min_length=1, max_length=1024)]
    size: Annotated[int, Field(ge=1, le=1_000_000), WHOLE]
    seconds: Annotated[float, Field(ge=0.001, le=2_678_400)] | None = None


class TaskSpecFields(RequestModel):
    """Options of tasks of one type. An omitted option has the value that workers declared for the type. If `inherit` is
    false or there is no declaration, it has its default, such as the queue `default`, three attempts and no timeout."""

    type: Name
    inherit: bool = True
    language: Name | None = None
    priority: Int | None = None
    queue: Name | None = None
    labels: Annotated[list[Label], Field(max_length=64)] | None = None
    metadata: JsonObject | None = None
    timeout: Seconds | None = None
    heartbeat_timeout: Seconds | None = None
    backoff: Seconds | None = None
    max_attempts: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    max_losses: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    optional: bool | None = None
    limits: Annotated[list[LimitSpec], Field(min_length=1, max_length=32)] | None = None


class TaskFields(TaskSpecFields):
    """Options of one task."""

    delay: Seconds | None = None
    available_at: Moment | None = None
    name: Name | None = None
    external_id: Name | None = None


class RunFields(RequestModel):
    """Options of one run. `id`: a UUID that the client chose; if a run with this id exists, that run is returned.
    `deadline`: cancel the run if it has not ended this many seconds after the client started it. `expires`: cancel the
    run if none of its tasks has begun this many seconds after the client started it. `hold`: create the run, but start
    none of its tasks before `POST /v1/runs/{id}/release`."""

    run_id: RunUuid | None = Field(default=None, alias="id")
    dedupe_key: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    resource_group: Name | None = None
    run_attempts: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    deadline: Seconds | None = None
    expires: Seconds | None = None
    hold: bool | None = None


class AddTaskRequest(TaskFields):
    """A task to add to an open run: its type, its input and options. `strict`: reject a type that no worker has ever
    served and no bundle runs, and a queue that no task and no worker has named."""

    input: Input = Field(default_factory=dict)
    strict: bool = False


class NamedTaskRequest(AddTaskRequest):
    """A task to add to an open run. `id`: a UUID that the client chose; if the run already has a task with this id,
    nothing is added."""

    task_id: RunUuid | None = Field(default=None, alias="id")


class StartTaskRequest(AddTaskRequest, RunFields):
    """One start of a task: its type, its input and options. The input is an object of arguments by name, or a list of
    arguments in order. A text, number or boolean is the first argument. A data object in the input is written as
    `{"$object": id}`."""


class GraphEdge(RequestModel):
    """Another task of the graph, for which this task waits. `on`: this task can start if the other task completed, if
    it failed, or in both cases (`continue`)."""

    task: Name
    on: Literal["completed", "failed", "continue"] = "completed"


class OutputRef(RequestModel):
    """The output of another task of the graph. `index`: only this element of the list that the task returns."""

    output: Annotated[str, Field(alias="$output", min_length=1, max_length=256)]
    index: Annotated[int, Field(ge=0, le=999), WHOLE] | None = None


class GraphNode(TaskFields):
    """A task of a graph. `{"$output": "other"}` anywhere in its input is the output of the task `other`, which must
    complete first. With `map`, there is one task per item, and the output is the list of their outputs. The default
    name of a task is its key in the graph."""

    input: Input = Field(default_factory=dict)
    map: Annotated[list[Json], Field(min_length=1, max_length=MAX_TASKS)] | None = None
    after: Annotated[list[Name | GraphEdge], Field(max_length=MAX_TASKS)] = Field(
        default_factory=list[Name | GraphEdge]
    )
    handler: EndName | None = None
    output_count: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None


class GraphSpec(RequestModel):
    """Tasks by name. `outputs` selects the output of the run. By default this is the output of the tasks on which no
    other task depends."""

    name: Name | None = None
    tasks: Annotated[dict[Name, GraphNode], Field(min_length=1, max_length=MAX_TASKS)]
    outputs: Annotated[list[OutputRef], Field(max_length=1000)] | None = None


class AddGraphRequest(RequestModel):
    """A graph of tasks to add to an open run. A delay applies to the tasks that depend on no other task. `strict`:
    reject a type that no worker has ever served and no bundle runs, and a queue that no task and no worker has
    named."""

    graph: GraphSpec
    delay: Seconds | None = None
    available_at: Moment | None = None
    strict: bool = False


class StartGraphRequest(AddGraphRequest, RunFields):
    """One start of a graph of tasks. A delay applies to the tasks that depend on no other task. `input` is stored with
    the run."""

    metadata: JsonObject | None = None
    input: Json = None


class OpenRunRequest(RequestModel):
    """Open a run without tasks: `POST /v1/runs/{id}/tasks` adds tasks until `POST /v1/runs/{id}/close`. A `dedupe_key`
    needs a `name`. `hold`: none of the tasks starts before `POST /v1/runs/{id}/release`."""

    open: Literal[True]
    run_id: RunUuid | None = Field(default=None, alias="id")
    name: Name | None = None
    input: Json = None
    metadata: JsonObject | None = None
    dedupe_key: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    resource_group: Name | None = None
    run_attempts: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    deadline: Seconds | None = None
    expires: Seconds | None = None
    hold: bool | None = None


class PutScheduleRequest(TaskSpecFields):
    """A task that starts at the times of `cron` in the timezone. `catch_up`: how many of the missed runs are started:
    none (`skip`), `one` or `all`."""

    input: Arguments = Field(default_factory=dict)
    cron: Annotated[str, Field(min_length=1, max_length=256)]
    timezone: Annotated[str, Field(min_length=1, max_length=256)] = "UTC"
    catch_up: CatchUp = "one"
    jitter: Seconds = 0


def _kind(body: object) -> str:
    return "graph" if isinstance(body, AddGraphRequest) or (isinstance(body, dict) and "graph" in body) else "task"


def _any_kind(body: object) -> str | None:
    if isinstance(body, list):
        return None
    if isinstance(body, OpenRunRequest) or (isinstance(body, dict) and "open" in body):
        return "open"
    return _kind(cast("object", body))


OneStart = Annotated[
    Annotated[StartTaskRequest, Tag("task")] | Annotated[StartGraphRequest, Tag("graph")], Discriminator(_kind)
]
Starts = Annotated[list[OneStart], Field(min_length=1, max_length=MAX_STARTS)]
AnyStart = Annotated[
    Annotated[StartTaskRequest, Tag("task")]
    | Annotated[StartGraphRequest, Tag("graph")]
    | Annotated[OpenRunRequest, Tag("open")],
    Discriminator(
        _any_kind,
        custom_error_type="list_of_starts",
        custom_error_message="is a list; send a list of starts to POST /v1/runs/bulk",
    ),
]
Addition = Annotated[
    Annotated[NamedTaskRequest, Tag("task")] | Annotated[AddGraphRequest, Tag("graph")], Discriminator(_kind)
]
