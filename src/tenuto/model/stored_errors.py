"""Describes the stored error of a task in a sentence: the error that its code raised, or the reason that the database
recorded."""

from tenuto.model.json import Json

CANCELLED = "cancelled"  # the reason that is stored for a cancellation without a reason


def describe_error(error: Json) -> str | None:
    """Return the type and message of an error, why an attempt was lost or timed out, or the reason of a cancellation;
    None if there is no error."""
    if not isinstance(error, dict):
        return None if error is None else str(error)
    if error.get("reason") == "attempt_lost":
        return f"the attempt was lost: {error.get('message')}"
    if "message" in error:
        text = ": ".join(str(error[key]) for key in ("type", "message") if error.get(key))
        return f"{text} ({error['cancel_reason']})" if error.get("cancel_reason") else text
    match error.get("reason"):
        case None:
            return str(error) if error else None
        case "worker_lost":
            text = f"its worker {error.get('worker') or ''} was lost".replace("  ", " ")
        case "timeout":
            text = "its timeout passed"
        case "heartbeat_timeout":
            text = "it sent no heartbeat for too long"
        case str(reason) if reason == CANCELLED:
            text = CANCELLED
        case reason:
            text = f"{CANCELLED}: {reason}"
    return f"{text} ({error['cancel_reason']})" if error.get("cancel_reason") else text


def describe_cancel(error: Json) -> str | None:
    """Return the reason of a cancellation from the error of a run or task; None if no reason was given."""
    if not isinstance(error, dict):
        return None if error is None else str(error)
    reason = error.get("cancel_reason") or error.get("reason") or error.get("message")
    return None if reason in (None, CANCELLED, "it was cancelled") else str(reason)
