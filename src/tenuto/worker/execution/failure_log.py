"""Log lines for failed attempts: which attempt, whether it is retried, and the traceback."""

import logging

from tenuto.model.tasks import ReportResult
from tenuto.model.text import one_line
from tenuto.runtimes.outcomes import NEVER, Failed
from tenuto.worker.execution.attempt import Attempt

log = logging.getLogger("tenuto.worker")

CANCELLED = Failed({"type": "Cancelled", "message": "it was cancelled"}, NEVER)


def log_failure(attempt: Attempt, failed: Failed, answer: ReportResult) -> None:
    """Log a failure after the database has decided on a retry: a warning if the task is retried, otherwise an error."""
    if failed is CANCELLED:
        log.info("task %s (%s) was cancelled", attempt.task_id, attempt.task.name)
        return
    final = answer.answer == "accepted" and answer.retry_in_seconds is None
    what = one_line(": ".join(str(failed.error[key]) for key in ("type", "message") if failed.error.get(key)))
    trace = "\n" + failed.error["traceback"].rstrip() if failed.error.get("traceback") else ""
    log.log(
        logging.ERROR if final else logging.WARNING,
        "task %s (%s) failed, %s: %s%s", attempt.task_id, attempt.task.name, _which(attempt, answer), what, trace,
    )  # fmt: skip


def _which(attempt: Attempt, answer: ReportResult) -> str:
    most = answer.max_attempts
    # Attempts that waited or were given back do not count, so the number can exceed max_attempts.
    which = f"attempt {attempt.no} of {most}" if most and attempt.no <= most else f"attempt {attempt.no}"
    if answer.retry_in_seconds is not None:
        return f"{which}, retried in {max(0.0, answer.retry_in_seconds):.1f} s"
    return f"{which}, not retried" if answer.answer == "accepted" else which
