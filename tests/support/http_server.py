"""The application on a real port, in a thread of the test: connections can be cut."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from uvicorn import Config, Server

from tenuto.server.app import create_app
from tenuto.server.routes import TABLES
from tenuto.server.routing import Routes
from tenuto.server.settings import ServerSettings
from tests.support.waiting import wait_until


@contextmanager
def serving(settings: ServerSettings, tables: list[Routes] = TABLES) -> Iterator[str]:
    """Its address, while it answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = Config(
            create_app(settings, tables=tables), log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        server = Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield "http://{}:{}".format(*listener.getsockname())
        finally:
            server.should_exit = True
            thread.join()
