"""Escapes that many processes of one attempt try together."""

import os
import signal
import time


def take_memory_together(count: int, each: int, before: int = 0, seconds: float = 0) -> int:
    """Megabytes that so many processes have at once, besides what they share with the first, for so long."""
    shared, (told, tell) = b"x" * (before << 20), os.pipe()
    children = [os.fork() or _hold(each, tell) for _ in range(count)]
    while count and os.read(told, 1):
        count -= 1
    time.sleep(seconds)  # held until the sandbox notices it and ends the process
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children) * each + (len(shared) >> 20)


def _hold(megabytes: int, tell: int) -> int:
    own = b"x" * (megabytes << 20)
    os.write(tell, own[:1])
    return signal.pause() or 0  # until it is killed


def fork_many(count: int) -> int:
    """How many processes there can be at once."""
    children = []
    try:
        for _ in range(count):
            children.append(os.fork())
            if children[-1] == 0:
                time.sleep(20)  # alive while the others are made; killed below
                os._exit(0)
    except OSError:
        pass
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return len(children)
