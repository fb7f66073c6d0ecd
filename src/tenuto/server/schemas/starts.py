"""Request bodies of starts: a task, a graph of tasks that refer to each other by name, or a list of these."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from tenuto.server.schemas.base import WHOLE, Int, Label, Moment, Name, RequestModel, Seconds

MAX_STARTS = 10_000
MAX_TASKS = 100_000

Input = dict[str, Any] | list[Any]
End = Literal["completed", "failed", "cancelled"]


class LimitSpec(RequestModel):
    """At most `size` tasks with this key at a time, or with scope `rate` at most `size` starts per period."""

    scope: Literal["key", "queue", "rate"]
    key: Annotated[str, Field(min_length=1, max_length=1024)]
    size: Annotated[int, Field(ge=1, le=1_000_000), WHOLE]
    seconds: Annotated[float, Field(ge=0.001, le=2_678_400)] | None = None


class TaskSpecFields(RequestModel):
    """Options of tasks of one type. An omitted option is as workers declared it for the type; without `inherit`, or
    without a declaration, it has its default: queue `default`, three attempts, no timeout."""

    type: Name
    inherit: bool = True
    language: Name | None = None
    priority: Int | None = None
    queue: Name | None = None
    labels: Annotated[list[Label], Field(max_length=64)] | None = None
    metadata: dict[str, Any] | None = None
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
    """Options of one run. `strict`: reject a type that no worker has ever served."""

    dedupe_key: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    resource_group: Name | None = None
    run_attempts: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    strict: bool = False


class StartTaskRequest(TaskFields, RunFields):
    """One start of a task: its type, its arguments by name or in order, and options. Write a data object in the input
    as `{"$object": id}`."""

    input: Input = Field(default_factory=dict)


class GraphEdge(RequestModel):
    """Another task of the graph, and the outcome of it that lets this task start."""

    task: Name
    on: Literal["completed", "failed", "continue"] = "completed"


class OutputRef(RequestModel):
    """The output of another task of the graph: all of it, or one element of the list it returns."""

    output: Annotated[str, Field(alias="$output", min_length=1, max_length=256)]
    index: Annotated[int, Field(ge=0, le=999), WHOLE] | None = None


class GraphNode(TaskFields):
    """A task of a graph. `{"$output": "other"}` anywhere in its input is the output of the task `other`, which must
    complete first. With `map` the node is one task per item, and its output is the list of their outputs. The default
    name is its key in the graph."""

    input: Input = Field(default_factory=dict)
    map: Annotated[list[Any], Field(min_length=1, max_length=MAX_TASKS)] | None = None
    after: Annotated[list[Name | GraphEdge], Field(max_length=MAX_TASKS)] = Field(default_factory=list)
    handler: End | None = None
    output_count: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None


class GraphSpec(RequestModel):
    """Tasks by name. `outputs` selects the output of the run; by default it is the output of the tasks without
    dependents."""

    name: Name | None = None
    tasks: Annotated[dict[Name, GraphNode], Field(min_length=1, max_length=MAX_TASKS)]
    outputs: Annotated[list[OutputRef], Field(max_length=1000)] | None = None


class StartGraphRequest(RunFields):
    """One start of a graph of tasks. A delay applies to its first tasks."""

    graph: GraphSpec
    delay: Seconds | None = None
    available_at: Moment | None = None
    metadata: dict[str, Any] | None = None


class PutScheduleRequest(TaskSpecFields):
    """A task that starts at the times of `cron` in the timezone. `catch_up`: of missed times, start none, one or
    all."""

    input: Input = Field(default_factory=dict)
    cron: Annotated[str, Field(min_length=1, max_length=256)]
    timezone: Annotated[str, Field(min_length=1, max_length=256)] = "UTC"
    catch_up: Literal["skip", "one", "all"] = "one"
    jitter: Seconds = 0


def _kind(body: Any) -> str:
    if isinstance(body, list):
        return "list"
    return "graph" if isinstance(body, StartGraphRequest) or (isinstance(body, dict) and "graph" in body) else "task"


OneStart = Annotated[
    Annotated[StartTaskRequest, Tag("task")] | Annotated[StartGraphRequest, Tag("graph")], Discriminator(_kind)
]
Starts = Annotated[list[OneStart], Field(min_length=1, max_length=MAX_STARTS)]
AnyStart = Annotated[
    Annotated[StartTaskRequest, Tag("task")]
    | Annotated[StartGraphRequest, Tag("graph")]
    | Annotated[Starts, Tag("list")],
    Discriminator(_kind),
]
