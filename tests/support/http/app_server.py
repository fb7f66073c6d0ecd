"""The application on a real port, in a thread of the test, so that connections can be cut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from uvicorn import Server

from tenuto.cli.processes.http_listener import uvicorn_config
from tenuto.server.app import create_app
from tenuto.server.http.route_table import RouteTable
from tenuto.server.routes import TABLES
from tenuto.server.settings import ServerSettings
from tests.support.waiting import wait_until


@contextmanager
def serving(settings: ServerSettings, tables: list[RouteTable] = TABLES, **more: Any) -> Iterator[str]:
    """Its address, while it answers, as `tenuto server` does; `more` is for uvicorn."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn_config(settings, grace=1)
        config.app = partial(create_app, settings, tables=tables)
        for name, value in more.items():
            setattr(config, name, value)
        server = Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield "http://{}:{}".format(*listener.getsockname())
        finally:
            server.should_exit = True
            thread.join()
