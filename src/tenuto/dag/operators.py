"""The operators: the kinds of work of a job, built in or from installed packages, with the `config` of each."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import SimpleNamespace
from typing import get_type_hints

from pydantic import BaseModel

from tenuto.dag.document_fields import MAX_OUTPUTS
from tenuto.dag.operator_configs import (
    AlertEvaluateConfig,
    BundleConfig,
    HttpPollConfig,
    IntegrityCheckConfig,
    ParquetCompactConfig,
    PythonConfig,
    RangeAggregatorConfig,
    RangeSplitterConfig,
    SinkConfig,
    SqlConfig,
    TriggerCronConfig,
    WebhookConfig,
)
from tenuto.model.errors import InvalidInput

OPERATOR_ALIASES = {"udf": "bundle"}
ANY = (0, MAX_OUTPUTS)
ENTRY_POINTS = "tenuto.operators"  # the group in which packages offer operators


@dataclass(frozen=True)
class Operator:
    """One operator: the fields of its `config`, and whether it can run inside of the dispatcher. `outputs`: how many
    outputs it writes, at least and at most. `one_input`: it reads exactly one input. `runs_code`: it runs trusted code
    of users, which may read secrets, emit events, and leave outputs unwritten."""

    summary: str
    config: type[BaseModel] | None = None
    in_dispatcher: bool = False
    outputs: tuple[int, int] = (1, 1)
    one_input: bool = False
    runs_code: bool = False


OPERATORS: dict[str, Operator] = {
    "python": Operator(
        "runs the function of an app in `config: {task: app.function}`", PythonConfig, outputs=ANY, runs_code=True
    ),
    "sql": Operator("runs the SELECT in `config: {sql: …}` over the inputs", SqlConfig),
    "alert_evaluate": Operator("raises an alert per row of the SELECT in `config: {sql: …}`", AlertEvaluateConfig),
    "bundle": Operator("runs a task of an uploaded bundle, which `udf` names", BundleConfig, outputs=ANY),
    "trigger_cron": Operator(
        "publishes a row per time of a cron source", TriggerCronConfig, in_dispatcher=True, outputs=(1, MAX_OUTPUTS)
    ),
    "http_poll": Operator("fetches the URL in `config: {url: …}`", HttpPollConfig),
    "webhook": Operator("publishes what a webhook source receives", WebhookConfig, in_dispatcher=True),
    "sink": Operator("collects the rows that other jobs append to its dataset", SinkConfig, in_dispatcher=True),
    "range_splitter": Operator(
        "splits rows into partitions by ranges of a column", RangeSplitterConfig, one_input=True
    ),
    "range_aggregator": Operator(
        "joins rows of updates to ranges of a column", RangeAggregatorConfig, in_dispatcher=True, one_input=True
    ),
    "parquet_compact": Operator("writes many small files as a few large ones", ParquetCompactConfig, one_input=True),
    "integrity_check": Operator("compares stored files with what was committed", IntegrityCheckConfig, outputs=(0, 1)),
}


def base_name(operator: str) -> str:
    """Returns the name of an operator without its version: `sql@2` is `sql`."""
    name = operator.partition("@")[0]
    return OPERATOR_ALIASES.get(name, name)


def find_operator(name: str) -> Operator | None:
    """Returns the built-in operator with this name, or the operator with this name of an installed package, or None."""
    if name in OPERATORS or name not in installed_operators():
        return OPERATORS.get(name)
    function = installed_operators()[name]
    summary = (inspect.getdoc(function) or "an operator of an installed package").partition("\n")[0]
    return Operator(summary, config_of(function), outputs=ANY, runs_code=True)


@cache
def installed_operators() -> dict[str, Callable[..., object]]:
    """Returns the operators that installed packages offer: functions of `ctx` and `config`."""
    return {point.name: _load(point) for point in entry_points(group=ENTRY_POINTS)}


def config_of(function: Callable[..., object]) -> type[BaseModel] | None:
    """Returns the model of an operator's configuration, which is the type hint of its parameter `config`."""
    written = inspect.get_annotations(function).get("config")
    # Reads only this hint: the hint of `ctx` may name a class that is imported only for type checkers.
    place = SimpleNamespace(__annotations__={"config": written})
    hint = get_type_hints(place, getattr(function, "__globals__", None))["config"]
    return hint if isinstance(hint, type) and issubclass(hint, BaseModel) else None


def _load(point: EntryPoint) -> Callable[..., object]:
    where = f"the operator {point.name} of the package {point.dist.name if point.dist else point.value}"
    if base_name(point.name) in OPERATORS:
        raise InvalidInput(f"{where} has the name of a built-in one", "give it another name")
    try:
        function: object = point.load()
    except Exception as error:
        raise InvalidInput(f"{where} cannot be imported: {type(error).__name__}: {error}") from error
    if not callable(function) or inspect.iscoroutinefunction(function):
        raise InvalidInput(f"{where} is not a plain function", "write def operator(ctx, config): …")
    return function
