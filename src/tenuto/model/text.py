"""Text that came from anywhere: made fit for Postgres, for terminals and for logs."""

import logging
import re

# Control characters but tab and newline, which move the cursor, change colours or titles, or end a line; and characters
# that turn the direction of what follows, or that nobody sees.
_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
INDENT = "  "


def clean(text: str) -> str:
    """The text without what Postgres cannot hold: NUL, and halves of surrogate pairs."""
    return text.replace("\x00", "\\0").encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """The text as a terminal can show it: what a terminal would act on is escaped (`\\x1b`), newlines stay."""
    return text if text.isprintable() else _ACTS.sub(_escape, text)


def one_line(text: str) -> str:
    """The same in one line: newlines are escaped too."""
    return text if text.isprintable() else printable(text).replace("\n", "\\n")


def indented(text: str) -> str:
    """The same in several lines, of which only the first can be taken for one of ours: the others are indented."""
    return printable(text).replace("\n", f"\n{INDENT}")


def _escape(found: "re.Match[str]") -> str:
    return found[0].encode("unicode_escape").decode()


class LineFormatter(logging.Formatter):
    """Log lines in which texts of tasks and tenants can forge no line and move no cursor."""

    def format(self, record: logging.LogRecord) -> str:
        return indented(super().format(record))
