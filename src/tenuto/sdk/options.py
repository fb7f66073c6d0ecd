"""What can be said of a task when it is declared, and of one start of it. Wrong values are named with a cure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, TypedDict, cast

from tenuto.model.cron import check_cron
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.sdk.limits import Limit, Rate
from tenuto.sdk.retries import RetryPolicy, backoff_seconds
from tenuto.sdk.suggestions import meant

Executor = Literal["async", "thread", "process"]
Runtime = Literal["worker", "sandbox"]


class Declared(TypedDict, total=False):
    """The keywords of `@app.task(…)`."""

    name: str
    queue: str
    priority: int
    max_attempts: int
    max_losses: int
    timeout: Duration
    heartbeat_timeout: Duration
    retry: RetryPolicy
    labels: Iterable[str]
    limit: Limit | Iterable[Limit]
    rate: str | Rate | Iterable[Rate]
    executor: Executor
    runtime: Runtime
    serializer: Literal["json", "pickle"]
    cron: str
    timezone: str
    catch_up: Literal["skip", "one", "all"]
    jitter: Duration
    optional: bool
    language: str


@dataclass(frozen=True)
class TaskOptions:
    """The checked keywords of `@app.task(…)`; durations are seconds."""

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
    runtime: Runtime = "worker"
    serializer: Literal["json", "pickle"] = "json"
    cron: str | None = None
    timezone: str = "UTC"
    catch_up: Literal["skip", "one", "all"] = "one"
    jitter: float = 0.0
    optional: bool = False
    language: str = "python"

    def kind(self, type: str, kept: Collection[str] = ()) -> dict[str, Any]:
        """The entry of `p_kinds`: only what differs from the kernel's own defaults, and the options to keep."""
        said = {
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
        differs = {key: value for key, value in said.items() if value != _KERNEL.get(key)}
        if kept:
            differs |= {key: value for key, value in said.items() if key.removesuffix("_seconds") in kept}
        return {"type": type, **differs}


_KERNEL: dict[str, Any] = {
    "queue": "default",
    "priority": 0,
    "max_attempts": 3,
    "labels": [],
    "optional": False,
    "language": "python",
}


class StartOptions(TypedDict, total=False):
    """What can be said of one start: `send.options(delay="5m")`, `tn.start(send, …, priority=10)`."""

    delay: Duration
    available_at: datetime
    priority: int
    dedupe_key: str
    queue: str
    resource_group: str
    labels: Iterable[str]
    metadata: Mapping[str, Any]
    timeout: Duration
    heartbeat_timeout: Duration
    max_attempts: int
    max_losses: int
    run_attempts: int
    name: str
    external_id: str
    optional: bool
    connection: Any


START_OPTIONS = frozenset(StartOptions.__annotations__)


def read_declared(what: str, said: Mapping[str, Any]) -> TaskOptions:
    """Check the keywords of `@app.task(…)`; `what` names the task in errors."""
    _check_known(what, said, [field.name for field in fields(TaskOptions)])
    checked = check_shared(what, said)
    for key, several in (("limit", Limit), ("rate", Rate)):
        if key in said:
            checked[key] = _several(what, key, said[key], several)
    if "jitter" in said:
        checked["jitter"] = seconds(said["jitter"], f"{what}: jitter")
        if checked["jitter"] > 86_400:
            raise InvalidInput(f"{what}: jitter is {said['jitter']!r}, longer than a day", "write at most 1d")
    _check_choices(what, said)
    _check_retry(what, said.get("retry"))
    if "cron" in said or "timezone" in said:
        if "cron" not in said:
            raise InvalidInput(f"{what}: timezone without cron", 'write cron="0 3 * * *" with it')
        check_cron(said["cron"], said.get("timezone", "UTC"))
    return TaskOptions(**{**said, **checked})


def check_shared(what: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """The options that a task and a start have in common, checked and in seconds."""
    checked: dict[str, Any] = {}
    for key, value in said.items():
        match key:
            case "timeout" | "heartbeat_timeout":
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
            case "optional":
                if not isinstance(value, bool):
                    raise InvalidInput(f"{what}: optional is {value!r}, not True or False")
                checked[key] = value
            case _:
                pass
    return checked


def check_start(what: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Check what is said of one start."""
    _check_known(what, said, sorted(START_OPTIONS), " of a start")
    checked = {**said, **check_shared(what, said)}
    if "delay" in said and "available_at" in said:
        raise InvalidInput(f"{what}: delay and available_at both say when it starts", "give one of them")
    if "delay" in said:
        checked["delay"] = seconds(said["delay"], f"{what}: delay")
    at = said.get("available_at")
    if at is not None and (not isinstance(at, datetime) or at.tzinfo is None):
        raise InvalidInput(f"{what}: available_at is {at!r}, not a datetime with a timezone", "write datetime.now(UTC)")
    if "metadata" in said and not isinstance(said["metadata"], Mapping):
        raise InvalidInput(f"{what}: metadata is {said['metadata']!r:.60}, not a dict")
    return checked


def _check_known(what: str, said: Mapping[str, Any], known: Collection[str], of: str = "") -> None:
    for name in sorted(set(said) - set(known)):
        cure = meant(name, known) or f"known are {', '.join(known)}"
        raise InvalidInput(f"{what}: there is no option {name!r}{of}", cure)


def _whole(what: str, key: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidInput(f"{what}: {key} is {value!r}, not a whole number from {least} to {most}")
    return value


def _text(what: str, key: str, value: Any, most: int) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= most or "\0" in value:
        raise InvalidInput(f"{what}: {key} is {value!r:.80}, not a text of 1 to {most} characters")
    return value


def _labels(what: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(f"{what}: labels is {value!r}, not a list", 'write ["gpu=1"]')
    return tuple(sorted({_text(what, "a label", label, 256) for label in value}))  # pyright: ignore[reportUnknownVariableType]


def _several(what: str, key: str, value: Any, kind: type[Limit] | type[Rate]) -> tuple[Any, ...]:
    if isinstance(value, str) and kind is Rate:
        value = Rate(value)
    found = tuple(cast("list[Any]", value)) if isinstance(value, list | tuple) else (value,)
    for one in found:
        if not isinstance(one, kind):
            cure = 'write limit=Limit(2, key="customer_id")' if kind is Limit else 'write rate="100/m"'
            raise InvalidInput(f"{what}: {key} is {one!r}", cure)
    return found


def _check_choices(what: str, said: Mapping[str, Any]) -> None:
    choices = {
        "executor": ("async", "thread", "process"),
        "runtime": ("worker", "sandbox"),
        "serializer": ("json", "pickle"),
        "catch_up": ("skip", "one", "all"),
    }
    for key, known in choices.items():
        if key in said and said[key] not in known:
            raise InvalidInput(f"{what}: {key} is {said[key]!r}, not one of {', '.join(known)}")
    if said.get("runtime") == "sandbox":
        if "executor" in said:
            raise InvalidInput(f"{what}: a sandbox is a process of its own", "leave executor out")
        if said.get("serializer") == "pickle":
            raise InvalidInput(f"{what}: whoever reads a pickle runs its code", 'leave serializer="pickle" out')


def _check_retry(what: str, policy: Any) -> None:
    if policy is not None and not callable(policy) and backoff_seconds(policy) is None:
        cure = 'write Fixed("10s"), Exponential(base="2s") or a function of the error and the number of failures'
        raise InvalidInput(f"{what}: retry is {policy!r}, not a policy", cure)
