"""The operator `python`: runs a function that an app of the worker declares."""

import inspect
from functools import partial

from tenuto.dag.operator_configs import PythonConfig
from tenuto.model.errors import InvalidInput
from tenuto.sdk.context.control import Fail
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.jobs.job import RunningJob
from tenuto.sdk.task import AnyTask
from tenuto.sdk.values.wire_format import NotSerializable

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class NoFunction(Fail):
    """The app of the worker does not declare the function of the job."""


def python(ctx: SyncContext, config: PythonConfig) -> object:
    """Run the function and publish the rows that it returns. A function that has called `ctx.write` must return None.
    If the job has no outputs, the returned value is the result of the task."""
    job = ctx.job
    task = _function_of(job, config)
    run = partial(task.run, **_arguments(task, config, job))
    if inspect.iscoroutinefunction(task.function):
        result = ctx.run_async(lambda context: run(context) if task.run_takes_context else run())
    else:
        result = run(ctx) if task.run_takes_context else run()
    outputs = [output.number for output in job.outputs if output.location is not None]
    if result is not None and job.outputs and not outputs:
        raise Fail(
            f"{config.task} returned a value, but no output of the job has a dataset; write dataset: NAME in the "
            "output, or call ctx.emit and return nothing"
        )
    if not outputs:
        return result
    if result is not None and job.published:
        raise Fail(f"{config.task} returned a value after ctx.write; return nothing, or do not call ctx.write")
    if result is not None and len(outputs) > 1:
        raise Fail(f"{config.task} returned a value, but the job has {len(outputs)} outputs; call ctx.write for each")
    if result is not None:
        ctx.write(result, outputs[0])
    elif not job.published:
        raise Fail(f"{config.task} published nothing: return rows or call ctx.write; return [] to publish no rows")
    return None


def _function_of(job: RunningJob, config: PythonConfig) -> AnyTask:
    """Return the declared function for which the worker claimed the task. Nothing is imported by name: a task whose
    configuration names another function fails. Raises Fail if the function cannot run as a job."""
    task = job.function
    if task is None or task.name != config.task:
        raise NoFunction(f"no app of this worker declares the function {config.task} for this task")
    if task.declared.runtime != "worker":
        raise Fail(
            f'{task.name} has runtime="sandbox", but the operator python has no sandbox; use the operator bundle'
        )
    return task


def _arguments(task: AnyTask, config: PythonConfig, job: RunningJob) -> dict[str, object]:
    """Return the arguments by name. They come from the configuration; the parameter `partition` gets the partition, and
    a parameter with the name of an input gets the table of this input. Raises Fail if an argument is missing or has no
    parameter."""
    try:
        signature = task.signature
        named: dict[str, object] = {}
        for name, value in config.arguments.items():
            if name not in signature.parameters:
                raise Fail(f"{config.task} has no parameter {name!r}; its signature is {signature}")
            named[name] = signature.codec(name).decode(value, name)
    except (InvalidInput, NotSerializable) as error:
        raise Fail(f"config.arguments of {config.task}: {error}") from error
    for name, parameter in signature.parameters.items():
        if name in named or parameter.kind not in _BY_NAME:
            continue
        if name == "partition":
            if job.partition is None and parameter.annotation in (str, "str"):
                trigger = f"`tenuto jobs trigger {job.dag} {job.name} --partition KEY`"
                raise Fail(
                    f"{config.task} needs a partition: run {trigger}, or write the parameter as partition: str | None"
                )
            named[name] = job.partition
        elif name in job.inputs:
            named[name] = job.inputs[name].read()
        elif parameter.default is parameter.empty:
            known = ", ".join(["partition", *job.inputs])
            raise Fail(f"{config.task} needs {name!r}: write it in config.arguments; a job passes {known} by itself")
    return named
