"""A table of the calls that a running attempt makes through `ctx`, with one row per call. SQL, HTTP, task processes,
sandboxes and the reference page read this table, so a new call is described only here. CONTRIBUTING.md lists what else
it needs."""

from dataclasses import dataclass
from typing import Literal

from tenuto.model.errors import InvalidInput

Method = Literal["GET", "POST", "PUT"]
Scope = Literal["attempt", "run"]
Returns = Literal["nothing", "value", "row", "rows"]


@dataclass(frozen=True)
class SqlForm:
    """How to call the SQL function of the same name, and what it returns."""

    returns: Returns
    # The first parameters of the function: the fence of the attempt, which the function checks, or the run of the
    # attempt.
    scope: Scope = "attempt"
    json: tuple[str, ...] = ()  # arguments of type jsonb; None is JSON null
    optional_json: tuple[str, ...] = ()  # arguments of type jsonb; None keeps the default of the function
    json_arrays: tuple[str, ...] = ()  # arguments of type jsonb[]
    ids: tuple[str, ...] = ()  # arguments of type uuid[]
    columns: tuple[str, ...] = ()  # the columns of the result; empty: all of them


@dataclass(frozen=True)
class AttemptCall:
    """One call. Its arguments and its result are JSON values."""

    name: str
    summary: str
    method: Method
    path: str  # the path of the HTTP endpoint; the arguments of a GET are in the query
    arguments: tuple[str, ...] = ()
    result: str | None = None  # the field of the HTTP response that is the result; None: the whole response
    sql: SqlForm | None = None  # None: needs bytes or several queries, so the backend has a function for it
    sandbox: bool = True  # sandboxed code can make the call, but only with `arguments`
    gives_objects: bool = False  # a sandbox may read the data objects to which the result refers


_TABLE = (
    AttemptCall(
        "get_failures",
        "Return how many attempts of the task have failed so far, and how many were lost.",
        "GET",
        "/v1/task/failures",
        sandbox=False,
    ),
    AttemptCall(
        "get_inputs",
        "Return the inputs that were too large for the claim: the slots from number `first` on, about 16 MB per call.",
        "GET",
        "/v1/task/inputs",
        ("first",),
        result="items",
        sandbox=False,
    ),
    AttemptCall(
        "get_steps",
        "Return the recorded steps of the task, with their age.",
        "GET",
        "/v1/task/steps",
        result="items",
        gives_objects=True,
    ),
    AttemptCall(
        "record_step",
        "Record the result of a step, and return it. If the step was recorded before, return the recorded result.",
        "POST",
        "/v1/task/steps",
        ("step_no", "name", "kind", "value"),
        result="value",
        sql=SqlForm("value", json=("value",)),
    ),
    AttemptCall(
        "fail_step",
        "Record that a step failed: permanently or, with `retry_seconds`, until it is tried again after that pause. "
        "With `kind` child, record that the code handled the failure of children that the step started; with `kind` "
        "signal, that the value of the received signal has a wrong type.",
        "POST",
        "/v1/task/steps/fail",
        ("step_no", "name", "error", "tries", "retry_seconds", "kind"),
        sql=SqlForm("nothing", json=("error",)),
    ),
    AttemptCall(
        "take_signal",
        "Receive the oldest signal of that name that no task has received. A later attempt gets the same signal.",
        "POST",
        "/v1/task/signals",
        ("step_no", "name"),
        sql=SqlForm("row"),
        gives_objects=True,
    ),
    AttemptCall(
        "start_children",
        "Start child tasks in the run of this task as one recorded step, and return their ids.",
        "POST",
        "/v1/task/children",
        ("kinds", "inputs", "task_kinds", "details", "step_no", "step_name"),
        result="task_ids",
        sql=SqlForm("value", json=("kinds",), optional_json=("details",), json_arrays=("inputs",)),
    ),
    AttemptCall(
        "poll_tasks",
        "Return the results of those of the tasks that have ended. Tasks of other runs are omitted.",
        "POST",
        "/v1/task/children/poll",
        ("task_ids",),
        result="items",
        sql=SqlForm("rows", scope="run", ids=("task_ids",)),
        gives_objects=True,
    ),
    AttemptCall(
        "put_task_data",
        "Write values to the data of the run.",
        "PUT",
        "/v1/task/data",
        ("values", "tags", "metadata"),
        sql=SqlForm("nothing", json=("values",), optional_json=("metadata",)),
    ),
    AttemptCall(
        "get_run_data",
        "Return data of the run: the latest value of each key, or with `history` all values.",
        "GET",
        "/v1/task/data",
        ("keys", "prefix", "glob", "tags", "all_tags", "history"),
        result="items",
        sql=SqlForm("rows", scope="run", columns=("id", "key", "value", "tags", "metadata")),
        gives_objects=True,
    ),
    AttemptCall(
        "get_task_state",
        "Return one key or all keys of the operator state of the task's type or job.",
        "GET",
        "/v1/task/state",
        ("key",),
        result="items",
        sql=SqlForm("rows", columns=("key", "value", "version")),
        gives_objects=True,
    ),
    AttemptCall(
        "put_task_state",
        "Set one key of the operator state if it still has the version that was read, and return the new version.",
        "PUT",
        "/v1/task/state",
        ("key", "value", "version"),
        result="version",
        sql=SqlForm("value", json=("value",)),
    ),
    AttemptCall(
        "list_input_locations",
        "Return up to 1,000 folders of an input of the job, starting after the folder with the id `after`.",
        "GET",
        "/v1/task/inputs/locations",
        ("input", "after"),
        result="items",
        sql=SqlForm("rows"),
    ),
    AttemptCall(
        "stage_rows",
        "Stage a page of rows for an output of the job that is stored in Postgres. The completion publishes them.",
        "POST",
        "/v1/task/rows",
        ("output", "location", "page", "rows"),
        sql=SqlForm("nothing", json=("rows",)),
    ),
    AttemptCall(
        "read_rows",
        "Return a page of the rows of an input of the job that is stored in Postgres, and how many pages there are.",
        "GET",
        "/v1/task/rows",
        ("input", "location", "page"),
        sql=SqlForm("row"),
    ),
    AttemptCall(
        "query_inputs",
        "Run one SELECT over the inputs of the job, which are tables with their names. Return its columns and rows.",
        "POST",
        "/v1/task/query",
        ("sql", "max_rows"),
    ),
    AttemptCall(
        "publish_task_effect",
        "Publish a side effect, once per key, and return its id and whether it is new.",
        "POST",
        "/v1/task/effects",
        ("kind", "payload", "key"),
        sql=SqlForm("row", json=("payload",)),
    ),
    AttemptCall(
        "emit_event",
        "Emit an event of an output of the job, once per key, and return its id.",
        "POST",
        "/v1/task/events",
        ("output", "data", "partition", "key"),
        result="id",
        sql=SqlForm("value", optional_json=("data",)),
    ),
    AttemptCall(
        "put_object",
        "Store bytes as a data object that the task holds, and return its id.",
        "POST",
        "/v1/task/objects",
        ("data", "type", "metadata"),
        result="id",
    ),
    AttemptCall("get_object", "Return the bytes of a data object.", "GET", "/v1/task/objects/{id}", ("id",)),
)


class AttemptCalls(dict[str, AttemptCall]):
    """The calls by name."""

    def __missing__(self, verb: str) -> AttemptCall:
        raise InvalidInput(f"a task cannot call {verb!r}", f"it can call {', '.join(self)}")


ATTEMPT_CALLS = AttemptCalls({call.name: call for call in _TABLE})
