"""`tenuto server`: runs the HTTP API."""

import logging
import signal
import socket
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from tenuto.cli.database import place_of, read_settings, ready_database
from tenuto.cli.output import AsJson, show
from tenuto.cli.pepper import find_peppers
from tenuto.cli.processes import oidc_options
from tenuto.cli.processes.http_listener import address, bind, read_proxies, uvicorn_config
from tenuto.cli.processes.serve import LogFormat, LogLevel
from tenuto.model.log_output import LogOutput

if TYPE_CHECKING:
    from tenuto.server.settings import ServerSettings

Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on. 0 chooses a free port.")]
Processes = Annotated[int, typer.Option(min=1, max=256, help="Number of server processes.")]
Origins = Annotated[
    list[str] | None,
    typer.Option("--cors-origin", help="Web origin that may call the API from browsers (CORS).", show_default=False),
]

Proxies = Annotated[
    str | None,
    typer.Option(
        help="Proxies whose X-Forwarded-* headers are trusted: addresses and networks, separated by commas.",
        show_default="none",
    ),
]

PerAddress = Annotated[
    int,
    typer.Option(
        min=1, help="Maximum number of connections per client address and process. Trusted proxies have no such limit."
    ),
]

log = logging.getLogger("tenuto.server")


def server(
    host: Host = "127.0.0.1",
    port: Port = 8080,
    processes: Processes = 1,
    cors_origin: Origins = None,
    oidc_issuer: oidc_options.Issuer = None,
    oidc_audience: oidc_options.Audience = None,
    oidc_client_id: oidc_options.Client = None,
    public_url: oidc_options.PublicUrl = None,
    trusted_proxies: Proxies = None,
    max_connections_per_address: PerAddress = 1000,
    log_format: LogFormat = "text",
    log_level: LogLevel = "info",
    as_json: AsJson = False,
) -> None:
    """Serve the HTTP API for API keys and for users of an OIDC issuer. The reference of its routes is at /docs."""
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.process_role import check_bound, choose_role
    from tenuto.server.settings import ServerSettings
    from tenuto.storage import open_store

    settings = read_settings()
    open_store(settings.storage)  # refuses a wrong TENUTO_STORAGE before anything starts
    proxies = read_proxies(trusted_proxies)
    people = oidc_options.read_oidc(oidc_issuer, oidc_audience, oidc_client_id, public_url)
    log_output = LogOutput(log_format, log_level)
    log_output.write_to_stderr()
    with ready_database(settings, keep=False) as url:
        with explained():
            role = choose_role(url, "tenuto_api")
            check_bound(url, role)
        peppers = find_peppers(settings)
        server_settings = ServerSettings(
            url,
            role,
            peppers,
            cors_origins=tuple(cors_origin or ()),
            oidc=people,
            public_url=public_url,
            storage=settings.storage,
            weak_queries=settings.weak_queries,
            installation=settings.installation,
            trusted_proxies=proxies,
            max_connections_per_address=max_connections_per_address,
        )
        listener = bind(host, port)
        log.info("database: %s", place_of(settings))
        _serve(server_settings, listener, processes, log_output)
    show({"stopped": True}, "stopped", as_json=as_json)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Ignore the signal that uvicorn raises again after it has stopped: a requested stop is not a failure."""


def _serve(settings: "ServerSettings", listener: socket.socket, processes: int, log_output: LogOutput) -> None:
    from uvicorn import Server
    from uvicorn.supervisors import Multiprocess

    config = uvicorn_config(settings, workers=processes, log_output=log_output)
    log.info("listening at %s; press Ctrl-C to stop", address(listener))
    if processes == 1:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _ignore)
        Server(config).run([listener])
    else:
        Multiprocess(config, [listener]).run()
