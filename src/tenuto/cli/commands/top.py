"""`tenuto top`: queues and workers, live."""

import asyncio
import sys
from typing import Annotated

import typer

from tenuto.cli.output import Json, show
from tenuto.cli.overview import look
from tenuto.cli.session import Desk, ask

EVERY = 1.0  # seconds between two looks


def top(
    once: Annotated[bool, typer.Option("--once", help="Look once and leave.")] = False, as_json: Json = False
) -> None:
    """Watch queues and workers; Ctrl-C leaves. Without a terminal it looks once."""
    if once or as_json or not sys.stdout.isatty():
        seen = ask(lambda desk: look(desk.pool, desk.org_id))
        show(seen, seen.page, as_json=as_json)
    else:
        ask(_watch)


async def _watch(desk: Desk) -> None:
    from rich.live import Live
    from rich.text import Text

    with Live(screen=True, auto_refresh=False) as live:
        seen = None
        while True:
            seen = await look(desk.pool, desk.org_id, seen)
            live.update(Text(seen.page), refresh=True)
            await asyncio.sleep(EVERY)
