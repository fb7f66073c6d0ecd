"""Makes untrusted text safe for Postgres, terminals and logs, and removes the values of secrets from it."""

import json
import logging
import re
from urllib.parse import quote, quote_plus

from tenuto.model.json import Json

# Control characters except tab and newline (they move the cursor, change colours or titles, or end a line), characters
# that change the text direction, and invisible characters.
_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
INDENT = "  "
MIN_HIDDEN_LENGTH = 4  # characters of a secret; shorter ones would be found in every text
MIN_HIDDEN_LINE_LENGTH = 12  # the same for one line of a secret with several lines, such as a private key
HIDDEN = "***"

# The texts that `redact` removes, longest first. There is one list per process, so that a secret that any attempt has
# read is also removed from texts of other threads and of libraries.
_hidden: list[str] = []


def clean(text: str) -> str:
    """Returns the text with the characters that Postgres cannot store, NUL and lone surrogates, replaced."""
    return text.replace("\x00", "\\0").encode("utf-8", "replace").decode()


def hide(secret: str) -> None:
    """Makes `redact` remove this value from now on, including its escaped forms in code, JSON and URLs. Of a secret
    with several lines, also removes each line of at least 12 characters. Values of fewer than 4 characters are not
    removed."""
    global _hidden
    if len(secret) < MIN_HIDDEN_LENGTH or secret in _hidden:
        return
    lines = [line for line in map(str.strip, secret.splitlines()) if len(line) >= MIN_HIDDEN_LINE_LENGTH]
    forms = {form for part in (secret, *lines) for form in _forms(part)}
    _hidden = sorted({*_hidden, *forms}, key=len, reverse=True)


def _forms(text: str) -> tuple[str, ...]:
    urls = quote(text, safe="", errors="replace"), quote_plus(text, errors="replace")
    return (text, repr(text)[1:-1], json.dumps(text)[1:-1], *urls)


def redact(text: str) -> str:
    """Returns the text without the values of secrets."""
    for form in _hidden:
        if form in text:
            text = text.replace(form, HIDDEN)
    return text


def redact_json(value: Json) -> Json:
    """Returns a JSON value with the values of secrets removed from its texts."""
    if not _hidden:
        return value
    match value:
        case str():
            return redact(value)
        case dict():
            return {redact(key): redact_json(item) for key, item in value.items()}
        case list() | tuple():
            return [redact_json(item) for item in value]
        case _:
            return value


def storable(text: str, max_chars: int) -> str:
    """Returns the first `max_chars` characters of an untrusted text, without values of secrets and without characters
    that Postgres cannot store."""
    return clean(redact(text)[:max_chars])


def storable_json(value: Json) -> Json:
    """Returns a JSON value with all its texts changed as by `storable`, but not shortened."""
    match value:
        case str():
            return clean(redact(value))
        case dict():
            return {clean(redact(key)): storable_json(item) for key, item in value.items()}
        case list():
            return [storable_json(item) for item in value]
        case _:
            return value


def printable(text: str) -> str:
    """Returns the text with control characters escaped (`\\x1b`), so that a terminal only displays it. Keeps
    newlines."""
    return text if text.isprintable() else _ACTS.sub(_escape, text)


def one_line(text: str) -> str:
    """Returns the printable text with newlines escaped too."""
    return text if text.isprintable() else printable(text).replace("\n", "\\n")


def indented(text: str) -> str:
    """Returns the printable text with all lines except the first indented, so that no line can look like a log line."""
    return printable(text).replace("\n", f"\n{INDENT}")


def _escape(match: "re.Match[str]") -> str:
    return match[0].encode("unicode_escape").decode()


class LineFormatter(logging.Formatter):
    """Formats log lines so that text from tasks and tenants cannot forge a line or move the cursor."""

    def format(self, record: logging.LogRecord) -> str:
        return indented(super().format(record))
