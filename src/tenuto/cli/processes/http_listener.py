"""Serves HTTP: opens the socket before anything else starts, then runs uvicorn on it."""

import logging
import resource
import socket
from functools import partial
from ipaddress import ip_network
from typing import TYPE_CHECKING

from tenuto.cli.exit_codes import UsageError
from tenuto.model.log_output import LogOutput

if TYPE_CHECKING:
    from uvicorn import Config

    from tenuto.server.app import TenutoApp
    from tenuto.server.settings import ServerSettings

BACKLOG = 2048
GRACE = 30  # seconds that requests in progress get at shutdown
# Beginnings of log lines that clients can cause as often as they like.
STRANGERS_SAY = ("Invalid HTTP", "Unsupported upgrade", "No supported WebSocket")
SAY_NOTHING = ("Started ", "Finished ", "Uvicorn running", "Application ", "Waiting for application")


def bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # clients that connect during start-up wait
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another with --port"
        ) from error
    listener.set_inheritable(True)
    return listener


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def read_proxies(text: str | None) -> tuple[str, ...]:
    """Parses addresses and networks, separated by commas."""
    proxies = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    for proxy in proxies:
        try:
            ip_network(proxy)
        except ValueError as error:
            message = (
                f"--trusted-proxies has {proxy!r}, which is not an address or network; write 10.0.0.7 or 10.0.0.0/24"
            )
            raise UsageError(message) from error
    return proxies


TEXT_LOG = LogOutput()


def make_app(settings: "ServerSettings", log_output: LogOutput) -> "TenutoApp":
    """Return the application. Called in each server process, because each sets up its own log."""
    from tenuto.server.app import create_app

    if not logging.getLogger().handlers:
        log_output.write_to_stderr()
    _name_lines()
    return create_app(settings)


def _name_lines() -> None:
    """Log uvicorn's lines under tenuto.server. Drop lines that clients cause, and lines that say nothing about the
    server."""
    logging.getLogger("uvicorn.error").addFilter(_as_ours)


def _as_ours(record: logging.LogRecord) -> bool:
    record.name = "tenuto.server"
    message = record.getMessage()
    return not message.startswith(STRANGERS_SAY if record.levelno > logging.INFO else SAY_NOTHING)


def _open_more_files(count: int) -> None:
    """Raise the limit on open files. Each connection is an open file, and shells often set a limit of 1024 although the
    system allows more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def uvicorn_config(
    settings: "ServerSettings", *, log_output: LogOutput = TEXT_LOG, grace: int = GRACE, workers: int | None = None
) -> "Config":
    from uvicorn import Config

    from tenuto.server.http.slow_clients import SlowClientProtocol

    _name_lines()
    _open_more_files(settings.max_connections + 200)
    return Config(
        partial(make_app, settings, log_output),
        factory=True,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
        timeout_worker_healthcheck=GRACE,
        http=SlowClientProtocol,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        workers=workers,
    )
