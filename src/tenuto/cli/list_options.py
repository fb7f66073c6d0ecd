"""Options that commands with lists share: pages, filters, a range of times, and the number of matches."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.output import show
from tenuto.model.durations import seconds

if TYPE_CHECKING:
    from tenuto.model.counts import Count

Limit = Annotated[int, typer.Option(min=1, max=200, help="Maximum number of results.")]
Before = Annotated[
    str | None, typer.Option(help="List only what is older than this id, the last one of the previous page.")
]
AfterName = Annotated[str | None, typer.Option(help="Continue after this name, the last one of the previous page.")]
AnyStatus = Annotated[list[str] | None, typer.Option(help="Only those with this status; can be repeated.")]
OfType = Annotated[str | None, typer.Option(help="Only those of this type.")]
OfName = Annotated[str | None, typer.Option(help="Only those of this name.")]
OfDataset = Annotated[str | None, typer.Option(help="Only those of this dataset.")]
Metadata = Annotated[
    str | None, typer.Option(help='Only those whose metadata contains this JSON object: \'{"team": "bi"}\'.')
]
Since = Annotated[
    str | None,
    typer.Option(
        help="Only those created at this time or later: 1h (before now) or 2026-01-31T12:00 (UTC).", show_default=False
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        help="Only those created before this time: 1h (before now) or 2026-01-31T12:00 (UTC).", show_default=False
    ),
]
Counted = Annotated[
    bool, typer.Option("--count", help="Also print how many match: exactly up to 10,000, estimated above.")
]
_DATE = re.compile(r"\d{4}-")


def read_statuses(texts: list[str] | None, known: Sequence[str]) -> list[str] | None:
    """Returns the statuses that were passed, or None if none was passed."""
    if wrong := [text for text in texts or () if text not in known]:
        raise UsageError(f"--status is {wrong[0]!r}; write {', '.join(known)}")
    return texts or None


def read_time(text: str | None, option: str) -> datetime | None:
    """Returns the time that `1h` (before now) or `2026-01-31T12:00` means; a time without a timezone is in UTC."""
    if text is None:
        return None
    if not _DATE.match(text):
        return datetime.now(UTC) - timedelta(seconds=seconds(text, option))
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option} is {text!r}, not a time; write 2026-01-31T12:00, or 1h for an hour ago") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def show_counted(name: str, items: Sequence[object], total: "Count | None", text: str, *, as_json: bool) -> None:
    """Print a list, and below it how many match if that was counted."""
    if total is None:
        show({name: items}, text, as_json=as_json)
    else:
        number = f"{total.count:,}" if total.exact else f"about {total.count:,}"
        show({name: items, "total": total}, f"{text}\n{number} in all", as_json=as_json)
