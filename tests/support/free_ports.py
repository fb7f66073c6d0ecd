"""Ports for programs that must be told theirs."""

import random
import socket
from contextlib import ExitStack

# Not those of outgoing connections (ip_local_port_range), of which a test run opens thousands, nor of embedded servers.
PORTS = range(10_000, 20_000)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listened on a moment ago."""
    with ExitStack() as opened:
        found: list[int] = []
        while len(found) < count:
            probe = opened.enter_context(socket.socket())
            port = random.choice(PORTS)  # noqa: S311 - chance, not a secret
            if _is_free(probe, port):
                found.append(port)
        return found


def _is_free(probe: socket.socket, port: int) -> bool:
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
