"""Makes untrusted text safe for Postgres, terminals and logs."""

import logging
import re

# Control characters except tab and newline (they move the cursor, change colours or titles, or end a line), characters
# that change the text direction, and invisible characters.
_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
INDENT = "  "


def clean(text: str) -> str:
    """Returns the text without characters that Postgres cannot store: NUL and lone surrogates."""
    return text.replace("\x00", "\\0").encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """Returns the text with control characters escaped (`\\x1b`), so that a terminal only displays it. Keeps
    newlines."""
    return text if text.isprintable() else _ACTS.sub(_escape, text)


def one_line(text: str) -> str:
    """Returns the printable text with newlines escaped too."""
    return text if text.isprintable() else printable(text).replace("\n", "\\n")


def indented(text: str) -> str:
    """Returns the printable text with every line but the first indented, so that it cannot imitate a log line."""
    return printable(text).replace("\n", f"\n{INDENT}")


def _escape(match: "re.Match[str]") -> str:
    return match[0].encode("unicode_escape").decode()


class LineFormatter(logging.Formatter):
    """Formats log lines so that text from tasks and tenants cannot forge a line or move the cursor."""

    def format(self, record: logging.LogRecord) -> str:
        return indented(super().format(record))
