"""What a lane waits for: a bell that no ring is lost on, and a connection beside it."""

import socket
import threading

from tenuto.worker.process.slots import Waker

LONG = 30.0


def test_a_ring_before_anybody_waits_is_heard():
    bell = Waker()
    bell.wake()
    bell.wait(LONG)
    bell.close()


def test_many_rings_are_one():
    bell = Waker()
    for _ in range(100_000):
        bell.wake()
    bell.wait(LONG)
    bell.close()


def test_a_ring_from_another_thread_ends_the_wait():
    bell = Waker()
    threading.Timer(0.01, bell.wake).start()
    bell.wait(LONG)
    bell.close()


def test_what_comes_in_beside_it_is_taken_by_the_thread_that_waits():
    bell = Waker()
    here, there = socket.socketpair()
    came: list[bytes] = []
    bell.watch(here.fileno(), lambda: came.append(here.recv(10)))
    there.send(b"hello")
    bell.wait(LONG)
    assert came == [b"hello"]

    bell.unwatch()
    there.send(b"again")
    bell.wake()
    bell.wait(LONG)
    assert came == [b"hello"]
    for one in (here, there, bell):
        one.close()
