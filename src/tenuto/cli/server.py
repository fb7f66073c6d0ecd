"""`tenuto server`: the HTTP API."""

import logging
import socket
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.database import ready_database
from tenuto.cli.output import Json, show
from tenuto.cli.pepper import find_peppers
from tenuto.cli.problems import WrongUse
from tenuto.cli.serving import log_to_stderr
from tenuto.cli.settings import read_settings

if TYPE_CHECKING:
    from tenuto.server.settings import ServerSettings

BACKLOG = 2048
GRACE = 30  # seconds for what is being answered when it is stopped

Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")]
Processes = Annotated[int, typer.Option(min=1, max=256, help="How many processes answer.")]
Origins = Annotated[
    list[str] | None, typer.Option("--cors-origin", help="A site whose pages may ask.", show_default=False)
]

log = logging.getLogger("tenuto.server")


def server(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    processes: Processes = 1,
    cors_origin: Origins = None,
    as_json: Json = False,
) -> None:
    """Answer HTTP. Requests need an API key; the description is at /openapi.json. Ctrl-C stops."""
    from tenuto.db.explain import explained
    from tenuto.db.login import choose_role
    from tenuto.server.settings import ServerSettings

    settings = read_settings()
    log_to_stderr()
    with ready_database(settings, keep=False) as url:
        with explained():
            role = choose_role(url, "tenuto_api")
        peppers = find_peppers(settings)
        origins, objects = tuple(cors_origin or ()), settings.home / "objects"
        _serve(ServerSettings(url, role, peppers, cors_origins=origins, objects=objects), _bind(host, port), processes)
    show({"stopped": True}, "stopped", as_json=as_json)


def _bind(host: str, port: int) -> socket.socket:
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


def _serve(settings: "ServerSettings", listener: socket.socket, processes: int) -> None:
    from uvicorn import Config, Server
    from uvicorn.supervisors import Multiprocess

    from tenuto.server.app import create_app

    config = Config(
        partial(create_app, settings),
        factory=True,
        workers=processes,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        timeout_worker_healthcheck=GRACE,
        limit_concurrency=1000,
    )
    log.info("answering at http://%s:%s; Ctrl-C stops", *listener.getsockname()[:2])
    if processes == 1:
        Server(config).run([listener])
    else:
        Multiprocess(config, [listener]).run()
