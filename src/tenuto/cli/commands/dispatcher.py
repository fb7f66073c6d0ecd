"""`tenuto dispatcher`: runs only the dispatcher's loops."""

import asyncio
import logging
from dataclasses import replace

from tenuto.cli.database import place_of, read_settings, ready_database
from tenuto.cli.exit_codes import WorkFailed
from tenuto.cli.output import AsJson, show
from tenuto.cli.pepper import peppers_if_any
from tenuto.cli.processes.pool_providers import ProvidersFile, read_providers
from tenuto.cli.processes.serve import (
    NO_LOOPS,
    LogFormat,
    LogLevel,
    MetricsHost,
    MetricsPort,
    ProcessContext,
    resolve_context,
    serve,
    stopped_by_signals,
)
from tenuto.model.log_output import LogOutput

log = logging.getLogger("tenuto.dispatcher")


def dispatcher(
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = "127.0.0.1",
    providers: ProvidersFile = None,
    log_format: LogFormat = "text",
    log_level: LogLevel = "info",
    as_json: AsJson = False,
) -> None:
    """Run the dispatcher loops: delays, retries, leases, schedules, retention.

    Workers that connect to the database run them too. Any number of dispatchers may run.
    """
    settings = read_settings()
    output = LogOutput(log_format, log_level)
    output.write_to_stderr()
    with ready_database(settings, keep=False) as url:
        context = resolve_context(settings, url, metrics_port, metrics_host)
        if not context.may_dispatch:
            raise WorkFailed(f"no dispatcher loops can run here: {NO_LOOPS}")
        asyncio.run(_serve(replace(context, providers=read_providers(providers), log=output)))
    show({"stopped": True}, "stopped", as_json=as_json)


async def _serve(context: ProcessContext) -> None:
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        await serve(context, None, stop=stop, ready=lambda: _ready(context))


def _ready(context: ProcessContext) -> None:
    log.info("database: %s", place_of(context.settings))
    if peppers_if_any(context.settings) is None:
        log.info("this dispatcher does not sign audit logs: TENUTO_PEPPER is not set")
    log.info("dispatcher running; press Ctrl-C to stop")
