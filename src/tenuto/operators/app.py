"""The app of the operators: a task type `tenuto.<operator>` for each built-in operator and each operator of an
installed package, and a task type `tenuto.python.<function>` for each function that the apps of the worker declare."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import cast

from tenuto.model.json import Json, JsonObject
from tenuto.model.task_types import MAX_FUNCTION_NAME
from tenuto.sdk.app import App
from tenuto.sdk.app_loader import RESERVED
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.task import AnyTask

NO_FUNCTIONS: Mapping[str, AnyTask] = {}
PYTHON = "tenuto.operators.python:python"
ENTRY_POINTS = "tenuto.operators"  # the entry point group in which packages declare operators
# The modules are imported with the first job: they need pydantic, whose import would delay the start of a worker.
BUILT_IN = {
    "sql": "tenuto.operators.sql:sql",
    "alert_evaluate": "tenuto.operators.alert_evaluate:alert_evaluate",
    "parquet_compact": "tenuto.operators.parquet_compact:parquet_compact",
    "range_splitter": "tenuto.operators.range_splitter:range_splitter",
    "range_aggregator": "tenuto.operators.range_aggregator:range_aggregator",
    "trigger_cron": "tenuto.operators.trigger_cron:trigger_cron",
    "bundle": "tenuto.operators.bundle:bundle",
    "http_poll": "tenuto.operators.http_poll:http_poll",
    "webhook": "tenuto.operators.webhook:webhook",
    "integrity_check": "tenuto.operators.integrity_check:integrity_check",
}


def operator_app(
    storage: str,
    allowed_hosts: Sequence[str] = (),
    *,
    only: Collection[str] | None = None,
    functions: Mapping[str, AnyTask] = NO_FUNCTIONS,
) -> App:
    """Return an app with all operators of this machine, or only those in `only`. `storage`: the URL of the object store
    of the datasets. `allowed_hosts`: hosts with private addresses that jobs may contact. `functions`: the functions
    that jobs of the operator python can run, each of which is a task type of its own."""
    app = App(RESERVED)
    for name, target in {**installed_operators(), **BUILT_IN}.items():
        if only is None or name in only:
            app.task(name=name)(_task(target, storage, allowed_hosts))
    for name, function in functions.items():
        if len(name) <= MAX_FUNCTION_NAME:
            task = app.task(name=f"python.{name}")(_task(PYTHON, storage, allowed_hosts, function))
            task.runs_in = "process" if function.runs_in == "process" else task.runs_in
    return app


def operators_in_dispatcher() -> set[str]:
    """Return the operators that jobs with `runtime: dispatcher` can use."""
    from tenuto.dag.operators import OPERATORS

    return {name for name, operator in OPERATORS.items() if operator.in_dispatcher}


@cache
def installed_operators() -> dict[str, str]:
    """Return the module and function of each operator that a package of this machine offers, by the operator's name.
    Reads the entry points of all packages."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def _task(
    target: str, storage: str, allowed_hosts: Sequence[str], function: AnyTask | None = None
) -> Callable[[SyncContext, JsonObject], Json]:
    """Return the function of the task type: it calls the operator with `ctx` and the checked configuration of the
    job."""

    def run(ctx: SyncContext, job: JsonObject) -> Json:
        from pydantic import ValidationError

        from tenuto.dag.operators import config_of

        operator = cast("Callable[..., object]", resolve_name(target))
        model = config_of(operator)
        current = ctx.open_job(job, storage)
        current.allowed_hosts, current.function = allowed_hosts, function
        try:
            config = model.model_validate(current.config) if model else current.config
        except ValidationError as error:
            current.close()
            problems = [f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors()[:5]]
            raise Fail(f"the configuration of the job is invalid: {'; '.join(problems)}") from error
        try:
            result = operator(ctx, config)
            return current.published_briefly() if result is None else cast(Json, result)
        finally:
            current.close()

    return run
