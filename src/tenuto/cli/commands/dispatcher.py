"""`tenuto dispatcher`: the loops alone."""

import asyncio
import logging

from tenuto.cli.database import ready_database
from tenuto.cli.exit_codes import WorkFailed
from tenuto.cli.output import Json, show
from tenuto.cli.pepper import peppers_if_any
from tenuto.cli.processes.serve import (
    NO_LOOPS,
    MetricsPort,
    ProcessContext,
    log_to_stderr,
    resolve_context,
    serve,
    stopped_by_signals,
)
from tenuto.cli.settings import read_settings

log = logging.getLogger("tenuto.dispatcher")


def dispatcher(metrics_port: MetricsPort = None, as_json: Json = False) -> None:
    """Run the loops: delays, retries, leases, schedules, retention. Every worker does it too; any number may run."""
    settings = read_settings()
    log_to_stderr()
    with ready_database(settings, keep=False) as url:
        place = resolve_context(settings, url, metrics_port)
        if not place.may_dispatch:
            raise WorkFailed(f"no loops can run here: {NO_LOOPS}")
        asyncio.run(_serve(place))
    show({"stopped": True}, "stopped", as_json=as_json)


async def _serve(place: ProcessContext) -> None:
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        await serve(place, None, stop=stop, ready=lambda: _ready(place))


def _ready(place: ProcessContext) -> None:
    if peppers_if_any(place.settings) is None:
        log.info("ends of audit chains are not signed here, since TENUTO_PEPPER is not set")
    log.info("running the loops; Ctrl-C stops")
