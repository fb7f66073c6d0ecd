"""Whether anything comes or goes over a connection, as the system counts it."""

import socket
from collections.abc import Iterator

import pytest

from tenuto.db.connection.traffic import traffic
from tests.support.waiting import wait_until


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
        with near, far:
            yield near, far


def test_what_the_other_side_took_and_sent_is_counted(ends: tuple[socket.socket, socket.socket]) -> None:
    near, far = ends
    before = traffic(near.fileno())
    assert before is not None

    far.sendall(b"abc")
    wait_until(lambda: (traffic(near.fileno()) or before)[1] == before[1] + 3)
    near.sendall(b"abcde")
    wait_until(lambda: (traffic(near.fileno()) or before)[0] == before[0] + 5)


def test_where_the_system_does_not_say_nothing_is_known() -> None:
    near, far = socket.socketpair()
    with near, far:
        assert traffic(near.fileno()) is None
