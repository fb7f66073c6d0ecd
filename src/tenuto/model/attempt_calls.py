"""The calls that a running attempt makes through `ctx`, one row each. SQL, HTTP, task processes, sandboxes and the
reference page read this table, so that a new call is added here."""

from dataclasses import dataclass
from typing import Literal

Method = Literal["GET", "POST", "PUT"]
Scope = Literal["attempt", "run"]
Returns = Literal["nothing", "value", "row", "rows"]


@dataclass(frozen=True)
class SqlForm:
    """How to call the SQL function of the same name, and what it returns."""

    returns: Returns
    # What the function is called for: the fence of the attempt, which it checks, or the run of the attempt.
    scope: Scope = "attempt"
    json: tuple[str, ...] = ()  # arguments of type jsonb; None is JSON null
    optional_json: tuple[str, ...] = ()  # of type jsonb; None keeps the default of the function
    json_arrays: tuple[str, ...] = ()  # of type jsonb[]
    ids: tuple[str, ...] = ()  # of type uuid[]
    columns: tuple[str, ...] = ()  # of the result; empty: all


@dataclass(frozen=True)
class AttemptCall:
    """One call: its arguments are JSON values, and so is its result."""

    name: str
    summary: str
    method: Method
    path: str  # of the HTTP endpoint; arguments of a GET are its query
    arguments: tuple[str, ...] = ()
    result: str | None = None  # the field of the HTTP response that is the result; None: the whole response
    sql: SqlForm | None = None  # None: the backend has a function for it, because bytes or several queries are needed
    sandbox: bool = True  # sandboxed code can make it, with these arguments and no others
    gives_objects: bool = False  # a sandbox may read the data objects that the result names


_TABLE = (
    AttemptCall(
        "get_failures",
        "Return the number of earlier failures, for the retry policy.",
        "GET",
        "/v1/task",
        result="failures",
        sandbox=False,
    ),
    AttemptCall(
        "get_inputs",
        "Return inputs that were too large for the claim, about 16 MB from slot `first` on.",
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
        "Record the result of a step, and return it. If an earlier attempt recorded it, return that result.",
        "POST",
        "/v1/task/steps",
        ("step_no", "name", "kind", "value"),
        result="value",
        sql=SqlForm("value", json=("value",)),
    ),
    AttemptCall(
        "take_signal",
        "Take the oldest signal of that name that no task has taken. A replay returns the same signal.",
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
        "Return the results of those tasks of the run that are final.",
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
        ("values", "tags"),
        sql=SqlForm("nothing", json=("values",)),
    ),
    AttemptCall(
        "get_run_data",
        "Return data of the run: the latest value of each key, or with `history` all values.",
        "GET",
        "/v1/task/data",
        ("keys", "prefix", "glob", "tags", "all_tags", "history"),
        result="items",
        sql=SqlForm("rows", scope="run", columns=("id", "key", "value", "tags")),
        gives_objects=True,
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

ATTEMPT_CALLS = {call.name: call for call in _TABLE}
