"""Answering HTTP: a socket that is open before anything starts, and uvicorn behind it."""

import socket
from functools import partial
from typing import TYPE_CHECKING, Any

from tenuto.cli.problems import WrongUse

if TYPE_CHECKING:
    from uvicorn import Config

    from tenuto.server.settings import ServerSettings

BACKLOG = 2048
GRACE = 30  # seconds for what is being answered when it is stopped


def bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # who comes while we start waits
    except OSError as error:
        listener.close()
        raise WrongUse(f"cannot listen on {host} port {port}: {error.strerror}; choose another with --port") from error
    listener.set_inheritable(True)
    return listener


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def uvicorn_config(settings: "ServerSettings", *, grace: int = GRACE, **more: Any) -> "Config":
    from uvicorn import Config

    from tenuto.server.app import create_app

    return Config(
        partial(create_app, settings),
        factory=True,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
        timeout_worker_healthcheck=GRACE,
        limit_concurrency=1000,
        **more,
    )
