"""Reads the byte counts of a TCP connection from the operating system."""

import os
import socket
import struct
import sys
from contextlib import suppress

# Offset of bytes_acked and bytes_received in Linux's struct tcp_info, and its size including both.
_ACKED, _SIZE = 120, 136


def traffic(fd: int) -> tuple[int, int] | None:
    """Return the bytes that the peer has acknowledged and sent; None if the operating system does not report them.
    Keep-alive probes do not count."""
    if sys.platform != "linux":
        return None
    with suppress(OSError), socket.socket(fileno=os.dup(fd)) as line:
        info = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)  # fails for sockets other than TCP
        if len(info) == _SIZE:
            acked, received = struct.unpack_from("=QQ", info, _ACKED)
            return acked, received
    return None
