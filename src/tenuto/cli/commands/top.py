"""`tenuto top`: queues and workers, live."""

import asyncio
import sys
from typing import Annotated

import typer

from tenuto.cli.output import Json, show
from tenuto.cli.overview import fetch_overview
from tenuto.cli.session import CommandContext, with_database

EVERY = 1.0  # seconds between two looks


def top(
    once: Annotated[bool, typer.Option("--once", help="Look once and leave.")] = False, as_json: Json = False
) -> None:
    """Watch queues and workers; Ctrl-C leaves. Without a terminal it looks once."""
    if once or as_json or not sys.stdout.isatty():
        seen = with_database(lambda desk: fetch_overview(desk.pool, desk.org_id))
        show(seen, seen.page, as_json=as_json)
    else:
        with_database(_watch)


async def _watch(desk: CommandContext) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(screen=True, auto_refresh=False) as live:
        seen = None
        while True:
            seen = await fetch_overview(desk.pool, desk.org_id, seen)
            live.update(Text(seen.page), refresh=True)
            await asyncio.sleep(EVERY)
