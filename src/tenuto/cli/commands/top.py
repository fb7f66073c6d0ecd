"""`tenuto top`: shows queues and workers live."""

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.output import AsJson, show
from tenuto.cli.overview import fetch_overview
from tenuto.cli.session import with_tenuto

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations

EVERY = 1.0  # seconds between two updates


def top(
    once: Annotated[bool, typer.Option("--once", help="Print once and exit.")] = False, as_json: AsJson = False
) -> None:
    """Watch queues and workers until Ctrl-C. Without a terminal, print once and exit."""
    if once or as_json or not sys.stdout.isatty():
        overview = with_tenuto(fetch_overview)
        show(overview, overview.page, as_json=as_json)
    else:
        with_tenuto(_watch)


async def _watch(tenuto: "Operations") -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(screen=True, auto_refresh=False) as live:
        while True:
            live.update(Text((await fetch_overview(tenuto)).page), refresh=True)
            await asyncio.sleep(EVERY)
