"""What somebody means by a name that does not exist."""

from collections.abc import Iterable
from difflib import get_close_matches

CLOSE = 0.7  # how alike two names are for one to be taken for the other
ATTEMPTS = "write max_attempts=…, which counts the first try too"
OTHER_WORDS = {"max_retries": ATTEMPTS, "retries": ATTEMPTS}  # what other systems call it


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, if any does."""
    return next(iter(get_close_matches(name, sorted(known), n=1, cutoff=CLOSE)), None)


def meant(name: str, known: Iterable[str], kind: str = "") -> str | None:
    """What to write instead of the name of an option, as far as it can be guessed; `kind` comes before the guess."""
    if name in OTHER_WORDS:
        return OTHER_WORDS[name]
    near = nearest(name, known)
    return f"did you mean {kind}{near}?" if near else None
