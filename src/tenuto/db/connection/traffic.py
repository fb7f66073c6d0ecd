"""Reads the byte counts of a TCP connection from the operating system."""

import os
import socket
import struct
import sys
from contextlib import suppress

# The offset of bytes_acked in Linux's struct tcp_info, and the size of the struct up to the end of bytes_received,
# which is the next field.
_ACKED, _SIZE = 120, 136


def traffic(fd: int) -> tuple[int, int] | None:
    """Return how many bytes the peer has acknowledged, and how many it has sent. Returns None if the operating system
    does not report them. Keep-alive probes do not count."""
    if sys.platform != "linux":
        return None
    with suppress(OSError), socket.socket(fileno=os.dup(fd)) as line:
        info = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)  # fails for sockets other than TCP
        if len(info) == _SIZE:
            acked, received = struct.unpack_from("=QQ", info, _ACKED)
            return acked, received
    return None
