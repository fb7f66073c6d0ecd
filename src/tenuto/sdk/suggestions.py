"""Suggests the intended name for a name that does not exist."""

from collections.abc import Iterable
from difflib import get_close_matches

CLOSE = 0.7  # minimum similarity for a suggestion
ATTEMPTS = "write max_attempts=…, which includes the first attempt"
OTHER_WORDS = {"max_retries": ATTEMPTS, "retries": ATTEMPTS}  # names that other systems use


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, if any is similar enough."""
    return next(iter(get_close_matches(name, sorted(known), n=1, cutoff=CLOSE)), None)


def meant(name: str, known: Iterable[str], kind: str = "") -> str | None:
    """Return a suggestion for an unknown option, if there is one; `kind` is put before the suggested name."""
    if name in OTHER_WORDS:
        return OTHER_WORDS[name]
    near = nearest(name, known)
    return f"did you mean {kind}{near}?" if near else None
