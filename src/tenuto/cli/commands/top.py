"""`tenuto top`: shows queues and workers live."""

import asyncio
import sys
from typing import Annotated

import typer

from tenuto.cli.output import AsJson, show
from tenuto.cli.overview import fetch_overview
from tenuto.cli.session import CommandContext, with_database

EVERY = 1.0  # seconds between two updates


def top(
    once: Annotated[bool, typer.Option("--once", help="Print once and exit.")] = False, as_json: AsJson = False
) -> None:
    """Watch queues and workers until Ctrl-C. Without a terminal, print once and exit."""
    if once or as_json or not sys.stdout.isatty():
        overview = with_database(lambda context: fetch_overview(context.pool, context.org_id))
        show(overview, overview.page, as_json=as_json)
    else:
        with_database(_watch)


async def _watch(context: CommandContext) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(screen=True, auto_refresh=False) as live:
        overview = None
        while True:
            overview = await fetch_overview(context.pool, context.org_id, overview)
            live.update(Text(overview.page), refresh=True)
            await asyncio.sleep(EVERY)
