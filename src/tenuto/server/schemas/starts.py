"""What starts say: a task, or a graph of tasks that name each other; one of them, or a list that starts together."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from tenuto.server.schemas.base import WHOLE, Int, Label, Moment, Name, RequestModel, Seconds

MAX_STARTS = 10_000
MAX_TASKS = 100_000

Input = dict[str, Any] | list[Any]
End = Literal["completed", "failed", "cancelled"]


class LimitSpec(RequestModel):
    """At most `size` at a time of those with this key, or with scope `rate` so many starts in so many seconds."""

    scope: Literal["key", "queue", "rate"]
    key: Annotated[str, Field(min_length=1, max_length=1024)]
    size: Annotated[int, Field(ge=1, le=1_000_000), WHOLE]
    seconds: Annotated[float, Field(ge=0.001, le=2_678_400)] | None = None


class TaskSpecFields(RequestModel):
    """What is said of tasks of one kind. What is not is as the workers of the type declare it; without `inherit`, or if
    none did, as the kernel has it: queue `default`, three attempts, no timeout."""

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
    """What is said of one task."""

    delay: Seconds | None = None
    available_at: Moment | None = None
    name: Name | None = None
    external_id: Name | None = None


class RunFields(RequestModel):
    """What is said of one run. `strict`: a type that no worker has ever served is refused."""

    dedupe_key: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    resource_group: Name | None = None
    run_attempts: Annotated[int, Field(ge=1, le=100), WHOLE] | None = None
    strict: bool = False


class StartTaskRequest(TaskFields, RunFields):
    """One start of a task: its type, its arguments by name or in order, and what is said of this start. A data object
    stands in the input as `{"$object": id}`."""

    input: Input = Field(default_factory=dict)


class GraphEdge(RequestModel):
    """Another task of the graph, and how it must end for this one to start."""

    task: Name
    on: Literal["completed", "failed", "continue"] = "completed"


class OutputRef(RequestModel):
    """The output of another task of the graph: all of it, or one element of the list it returns."""

    output: Annotated[str, Field(alias="$output", min_length=1, max_length=256)]
    index: Annotated[int, Field(ge=0, le=999), WHOLE] | None = None


class GraphNode(TaskFields):
    """A task of a graph. `{"$output": "other"}` anywhere in its input is what that other task gives, and makes it wait
    for it. With `map` it is a task for each item, which gives the list of what they give. Its name is its key in the
    graph unless another is said."""

    input: Input = Field(default_factory=dict)
    map: Annotated[list[Any], Field(min_length=1, max_length=MAX_TASKS)] | None = None
    after: Annotated[list[Name | GraphEdge], Field(max_length=MAX_TASKS)] = Field(default_factory=list)
    handler: End | None = None
    output_count: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None


class GraphSpec(RequestModel):
    """Tasks by the names they know each other by. `outputs` is what the run gives; without it, what those tasks give
    that no other waits for."""

    name: Name | None = None
    tasks: Annotated[dict[Name, GraphNode], Field(min_length=1, max_length=MAX_TASKS)]
    outputs: Annotated[list[OutputRef], Field(max_length=1000)] | None = None


class StartGraphRequest(RunFields):
    """One start of a graph of tasks; a delay is one of the tasks it begins with."""

    graph: GraphSpec
    delay: Seconds | None = None
    available_at: Moment | None = None
    metadata: dict[str, Any] | None = None


class PutScheduleRequest(TaskSpecFields):
    """What starts at the moments that `cron` names in the timezone. `catch_up`: of moments that were missed, none, one
    or all are made up for."""

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
