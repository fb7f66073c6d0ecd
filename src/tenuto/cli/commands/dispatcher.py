"""`tenuto dispatcher`: runs only the dispatcher's loops."""

import asyncio
import logging

from tenuto.cli.database import read_settings, ready_database
from tenuto.cli.exit_codes import WorkFailed
from tenuto.cli.output import AsJson, show
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

log = logging.getLogger("tenuto.dispatcher")


def dispatcher(metrics_port: MetricsPort = None, as_json: AsJson = False) -> None:
    """Run the dispatcher loops: delays, retries, leases, schedules, retention.

    Every worker runs them too. Any number of dispatchers may run.
    """
    settings = read_settings()
    log_to_stderr()
    with ready_database(settings, keep=False) as url:
        context = resolve_context(settings, url, metrics_port)
        if not context.may_dispatch:
            raise WorkFailed(f"no dispatcher loops can run here: {NO_LOOPS}")
        asyncio.run(_serve(context))
    show({"stopped": True}, "stopped", as_json=as_json)


async def _serve(context: ProcessContext) -> None:
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        await serve(context, None, stop=stop, ready=lambda: _ready(context))


def _ready(context: ProcessContext) -> None:
    if peppers_if_any(context.settings) is None:
        log.info("this dispatcher does not sign audit logs: TENUTO_PEPPER is not set")
    log.info("dispatcher running; press Ctrl-C to stop")
