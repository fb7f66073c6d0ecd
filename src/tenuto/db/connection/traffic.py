"""What has come and gone over a TCP connection, as the kernel counts it."""

import os
import socket
import struct
import sys
from contextlib import suppress

_ACKED, _SIZE = 120, 136  # where struct tcp_info of Linux has bytes_acked and bytes_received, and its size with both


def traffic(fd: int) -> tuple[int, int] | None:
    """Bytes that the other side has taken and has sent; None where the system does not say. Probes that only keep the
    connection alive do not count."""
    if sys.platform != "linux":
        return None
    with suppress(OSError), socket.socket(fileno=os.dup(fd)) as line:
        info = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)  # fails on a socket that is not of TCP
        if len(info) == _SIZE:
            acked, received = struct.unpack_from("=QQ", info, _ACKED)
            return acked, received
    return None
