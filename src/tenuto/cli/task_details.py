"""The output of `tenuto tasks show`: the fields, attempts, steps and signals of a task."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tenuto.cli.output import attempts, cell, duration, fields, shorten, table
from tenuto.model.stored_errors import describe_error

if TYPE_CHECKING:
    from tenuto.model.details import TaskDetails
    from tenuto.model.monitoring import AttemptInfo
    from tenuto.model.run_data import AwaitedSignal, SignalInfo, StepInfo

ATTEMPT_COLUMNS = ("attempt", "outcome", "worker_id", "started_at", "duration", "error")
STEP_COLUMNS = ("step", "name", "kind", "recorded_at", "result")
SIGNAL_COLUMNS = ("signal", "sent_at", "taken_at", "value")

# Fields about how a task is stored and run, which users do not need.
INTERNALS = (
    "position", "max_attempts", "failures", "losses", "run_attempt", "language", "optional", "copy_of", "queued_at",
)  # fmt: skip
KEPT = ("max_attempts", "queued_at")  # shown with --json, because programs use them


def task_facts(details: "TaskDetails") -> dict[str, object]:
    """Return what `--json` prints."""
    shown = {name: value for name, value in vars(details.task).items() if name not in INTERNALS or name in KEPT}
    return {**vars(details), "task": {**shown, "dedupe_key": details.dedupe_key}}


def task_text(details: "TaskDetails") -> str:
    """Return the text for users."""
    task = details.task
    number = attempts(task.attempt, task.max_attempts)
    awaited = awaited_text(details.awaited) or task.waits_for
    parts = [fields(task, hide=INTERNALS, attempt=number, waits_for=awaited, dedupe_key=details.dedupe_key)]
    tables = (
        (ATTEMPT_COLUMNS, [_attempt(attempt, task.max_attempts) for attempt in details.attempts]),
        (STEP_COLUMNS, [_step(step) for step in details.steps]),
        (SIGNAL_COLUMNS, [_signal(signal) for signal in details.signals]),
    )
    return "\n\n".join(parts + [table(columns, rows) for columns, rows in tables if rows])


def awaited_text(awaited: "Sequence[AwaitedSignal]") -> str | None:
    """Return the signals that tasks wait for, with the expected values: signal answer (integer) until …."""
    texts = [
        f"signal {signal.name}"
        + (f" ({signal.expects})" if signal.expects else "")
        + (f" until {cell(signal.until)}" if signal.until else "")
        for signal in awaited
    ]
    return ", ".join(dict.fromkeys(texts)) or None


def _attempt(attempt: "AttemptInfo", max_attempts: int) -> list[str]:
    return [
        attempts(attempt.attempt, max_attempts),
        attempt.outcome,
        cell(attempt.worker_id),
        cell(attempt.started_at),
        duration(attempt.duration_seconds),
        cell(describe_error(attempt.error)),
    ]


def _step(step: "StepInfo") -> list[str]:
    result = _value(step)
    if step.error:
        what = "handled" if step.kind == "child" else f"failed, {step.tries} tries"
        result = f"{what}: {cell(describe_error(step.error))}"
    return [str(step.step_no), cell(step.name), step.kind, cell(step.created_at), result]


def _signal(signal: "SignalInfo") -> list[str]:
    return [cell(signal.name), cell(signal.sent_at), cell(signal.taken_at), _value(signal)]


def _value(item: "StepInfo | SignalInfo") -> str:
    if item.value is None and item.value_bytes:
        return f"{item.value_bytes} bytes"
    return "-" if item.value is None else shorten(cell(json.dumps(item.value, ensure_ascii=False)))
