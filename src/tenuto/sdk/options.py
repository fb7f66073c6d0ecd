"""Checks the options of `@app.task(…)` and of a start."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, cast, get_args
from uuid import UUID

from tenuto.model.cron import check_cron, every
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import JsonObject
from tenuto.model.statuses import CatchUp
from tenuto.sdk.limits import Limit, Rate
from tenuto.sdk.option_types import Executor, RuntimeName, Serializer, StartOptions
from tenuto.sdk.retries import Exponential, Fixed, RetryPolicy, backoff_seconds
from tenuto.sdk.suggestions import meant


@dataclass(frozen=True)
class TaskOptions:
    """The validated options of `@app.task(…)`; durations are in seconds."""

    queue: str = "default"
    priority: int = 0
    max_attempts: int = 3
    max_losses: int | None = None
    timeout: float | None = None
    heartbeat_timeout: float | None = None
    retry: RetryPolicy | None = None
    labels: tuple[str, ...] = ()
    limit: tuple[Limit, ...] = ()
    rate: tuple[Rate, ...] = ()
    executor: Executor | None = None
    runtime: RuntimeName = "worker"
    serializer: Serializer = "json"
    cron: str | None = None
    timezone: str = "UTC"
    catch_up: CatchUp = "one"
    jitter: float = 0.0
    optional: bool = False
    language: str = "python"

    def updated(self, options: "StartOptions") -> "TaskOptions":
        """Return the options with the changes of one start. Options of a start that tasks do not have are ignored."""
        return replace(self, **{key: value for key, value in options.items() if key in OF_KIND})

    def kind(self, type: str, kept: Collection[str] = ()) -> JsonObject:
        """Return the entry of `p_kinds`, a parameter of the SQL function `start_run`: the options that differ from the
        SQL defaults, plus the options in `kept`."""
        values: JsonObject = {
            "queue": self.queue,
            "priority": self.priority,
            "max_attempts": self.max_attempts,
            "max_losses": self.max_losses,
            "timeout_seconds": self.timeout,
            "heartbeat_timeout_seconds": self.heartbeat_timeout,
            "backoff_seconds": backoff_seconds(self.retry),
            "labels": list(self.labels),
            "optional": self.optional,
            "language": self.language,
        }
        differs = {key: value for key, value in values.items() if value != SQL_DEFAULTS.get(key)}
        if kept:
            differs |= {key: value for key, value in values.items() if key.removesuffix("_seconds") in kept}
        return {"type": type, **differs}


# As in the SQL function `_start_single_task`, and in `runtimes/sandbox/child_tasks.py` for children of sandboxed code.
SQL_DEFAULTS: JsonObject = {
    "queue": "default",
    "priority": 0,
    "max_attempts": 3,
    "labels": [],
    "optional": False,
    "language": "python",
}


START_OPTIONS = frozenset(StartOptions.__annotations__)
OF_KIND = ("queue", "priority", "labels", "timeout", "heartbeat_timeout", "max_attempts", "max_losses", "optional")


def read_declared(what: str, options: Mapping[str, Any]) -> TaskOptions:
    """Validate the options of `@app.task(…)`; `what` names the task in errors. None means that an option is not set."""
    options = {key: value for key, value in options.items() if value is not None}
    _check_known(what, options, [*(field.name for field in fields(TaskOptions)), "every"])
    if "every" in options:
        interval = options.pop("every")
        options = {**options, "cron": read_times(what, options.get("cron"), interval)}
    checked = check_shared(what, options)
    for key, several in (("limit", Limit), ("rate", Rate)):
        if key in options:
            checked[key] = _several(what, key, options[key], several)
    if "jitter" in options:
        checked["jitter"] = seconds(options["jitter"], f"{what}: jitter")
        if checked["jitter"] > 86_400:
            raise InvalidInput(f"{what}: jitter is {options['jitter']!r}, longer than a day", "write at most 1d")
    _check_choices(what, options)
    check_retry(what, options.get("retry"))
    if "cron" not in options:
        for key in ("timezone", "catch_up", "jitter"):
            if key in options:
                raise InvalidInput(f"{what}: {key} is set without cron", 'also write cron="0 3 * * *" or every="10m"')
    else:
        check_cron(options["cron"], options.get("timezone", "UTC"))
    return TaskOptions(**{**options, **checked})


def read_times(what: str, cron: str | None, interval: Duration | None) -> str:
    """Return the cron expression of a schedule that has either a cron expression or an interval."""
    if (cron is None) == (interval is None):
        raise InvalidInput(f"{what}: a schedule has either cron or every", 'write cron="0 3 * * *" or every="10m"')
    return cron if cron is not None else every(interval or 0, f"{what}: every")


def check_shared(what: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Validate the options that tasks and starts have in common; durations become seconds."""
    checked: dict[str, Any] = {}
    for key, value in options.items():
        match key:
            case "timeout" | "heartbeat_timeout" | "deadline" | "expires":
                checked[key] = seconds(value, f"{what}: {key}", positive=True)
            case "priority":
                checked[key] = _whole(what, key, value, -2_147_483_648, 2_147_483_647)
            case "max_attempts" | "run_attempts":
                checked[key] = _whole(what, key, value, 1, 100)
            case "max_losses":
                checked[key] = _whole(what, key, value, 1, 1000)
            case "queue" | "name" | "resource_group" | "external_id" | "language" | "dedupe_key":
                checked[key] = _text(what, key, value, 1024 if key == "dedupe_key" else 256)
            case "labels":
                checked[key] = _labels(what, value)
            case "run_id":
                checked[key] = _uuid(what, key, value)
            case "optional" | "hold":
                if not isinstance(value, bool):
                    raise InvalidInput(f"{what}: {key} is {value!r}, not True or False")
                checked[key] = value
            case _:
                pass
    return checked


def check_start(what: str, options: Mapping[str, Any]) -> StartOptions:
    """Validate the options of one start. None means that an option is not set."""
    options = {key: value for key, value in options.items() if value is not None}
    _check_known(what, options, sorted(START_OPTIONS), " of a start")
    checked = cast("StartOptions", {**options, **check_shared(what, options)})
    if "delay" in options and "available_at" in options:
        raise InvalidInput(f"{what}: delay and available_at both set the start time", "pass only one of them")
    if "delay" in options:
        checked["delay"] = seconds(options["delay"], f"{what}: delay")
    if (latest := checked.get("expires")) is not None and seconds(checked.get("delay") or 0) >= seconds(latest):
        raise InvalidInput(
            f"{what}: the run expires {options['expires']!r} after its start and is delayed by {options['delay']!r}",
            "both count from the start; let it expire later",
        )
    at = options.get("available_at")
    if at is not None and (not isinstance(at, datetime) or at.tzinfo is None):
        raise InvalidInput(f"{what}: available_at is {at!r}, not a datetime with a timezone", "write datetime.now(UTC)")
    if "metadata" in options and not isinstance(options["metadata"], Mapping):
        raise InvalidInput(f"{what}: metadata is {options['metadata']!r:.60}, not a dict")
    return checked


def _check_known(what: str, options: Mapping[str, object], known: Collection[str], of: str = "") -> None:
    for name in sorted(set(options) - set(known)):
        cure = meant(name, known) or f"known options are {', '.join(known)}"
        if name in START_OPTIONS:
            cure = f"it is an option of a start: tn.start(task, …, {name}=…)"
        raise InvalidInput(f"{what}: there is no option {name!r}{of}", cure)


def _whole(what: str, key: str, value: object, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidInput(f"{what}: {key} is {value!r}, not a whole number from {least} to {most}")
    return value


def _text(what: str, key: str, value: object, most: int) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= most or "\0" in value:
        raise InvalidInput(f"{what}: {key} is {value!r:.80}, not a text of 1 to {most} characters")
    return value


def _uuid(what: str, key: str, value: object) -> str:
    try:
        return str(value if isinstance(value, UUID) else UUID(cast("str", value)))
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{what}: {key} is {value!r:.80}, not a UUID") from error


def _labels(what: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"{what}: labels is {value!r}, not a list", 'write ["gpu=1"]')
    labels = cast("Iterable[object]", value)
    return tuple(sorted({_text(what, "a label", label, 256) for label in labels}))


def _several(what: str, key: str, value: object, kind: type[Limit] | type[Rate]) -> tuple[object, ...]:
    if isinstance(value, str) and kind is Rate:
        value = Rate(value)
    limits = tuple(cast("list[object]", value)) if isinstance(value, list | tuple) else (value,)
    for limit in limits:
        if not isinstance(limit, kind):
            cure = 'write limit=Limit(2, key="customer_id")' if kind is Limit else 'write rate="100/m"'
            raise InvalidInput(f"{what}: {key} is {limit!r}", cure)
    return limits


def _check_choices(what: str, options: Mapping[str, object]) -> None:
    choices = {
        "executor": get_args(Executor),
        "runtime": get_args(RuntimeName),
        "serializer": get_args(Serializer),
        "catch_up": get_args(CatchUp),
    }
    for key, known in choices.items():
        if key in options and options[key] not in known:
            raise InvalidInput(f"{what}: {key} is {options[key]!r}, not one of {', '.join(known)}")
    if options.get("runtime") == "sandbox":
        if "executor" in options:
            raise InvalidInput(f"{what}: a sandbox always is a separate process", "leave executor out")
        if options.get("serializer") == "pickle":
            raise InvalidInput(f"{what}: reading a pickle runs the code in it", 'leave serializer="pickle" out')


def check_retry(what: str, policy: object) -> None:
    """Raise InvalidInput if a value is not a retry policy."""
    if not (policy is None or callable(policy) or isinstance(policy, Fixed | Exponential)):
        cure = 'write Fixed("10s"), Exponential(base="2s") or a function of the error and the number of failures'
        raise InvalidInput(f"{what}: retry is {policy!r}, not a policy", cure)
