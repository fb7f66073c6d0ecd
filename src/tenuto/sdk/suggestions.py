"""Suggests the intended name for a name that does not exist."""

from collections.abc import Iterable

CLOSE = 0.7  # minimum similarity for a suggestion
ATTEMPTS = "write max_attempts=…, which includes the first attempt"
POLICY = 'write retry=Fixed("10s"), Exponential(base="2s"), or a function of the error and the number of failures'
TIMEOUT = 'write timeout="30s", which applies to one attempt'
DELAY = 'write delay="5m" when you start the task'
AT = "write available_at=datetime(…, tzinfo=UTC) when you start the task"
ACKNOWLEDGED = "leave it out: a task is acknowledged when it has ended, and retried if its worker dies"
STORED = "leave it out: status and result of every task are stored"

# Names that other systems use for options of tasks and starts.
OTHER_WORDS = {
    "max_retries": ATTEMPTS,
    "retries": ATTEMPTS,
    "autoretry_for": POLICY,
    "retry_backoff": POLICY,
    "retry_policy": POLICY,
    "default_retry_delay": POLICY,
    "retry_delay": POLICY,
    "backoff": POLICY,
    "time_limit": TIMEOUT,
    "soft_time_limit": TIMEOUT,
    "job_timeout": TIMEOUT,
    "start_to_close_timeout": TIMEOUT,
    "execution_timeout": 'write deadline="2d" when you start the task',
    "bind": "leave it out: a function whose first parameter is called ctx gets the context",
    "pass_context": "leave it out: a function whose first parameter is called ctx gets the context",
    "acks_late": ACKNOWLEDGED,
    "reject_on_worker_lost": ACKNOWLEDGED,
    "ignore_result": STORED,
    "track_started": STORED,
    "rate_limit": 'write rate="100/m"',
    "concurrency_limit": "write limit=Limit(2)",
    "countdown": DELAY,
    "eta": AT,
    "schedule_at": AT,
    "task_id": "write dedupe_key=…, which starts a task once, or run_id=… for an id of your own",
    "idempotency_key": "write dedupe_key=…, which starts a task once",
    "lock": 'write limit=Limit(1), or limit=Limit(1, key="customer_id")',
    "queueing_lock": "write dedupe_key=… when you start the task",
}


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, if any is similar enough."""
    from tenuto.model.similar_names import most_similar  # only errors need it

    return most_similar(name, known, cutoff=CLOSE)


def meant(name: str, known: Iterable[str], kind: str = "") -> str | None:
    """Return a suggestion for an unknown option, if there is one; `kind` is put before the suggested name."""
    if name in OTHER_WORDS:
        return OTHER_WORDS[name]
    near = nearest(name, known)
    return f"did you mean {kind}{near}?" if near else None
