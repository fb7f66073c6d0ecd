"""Renews objects with sockets, threads or locks in a forked child, because the child must not use those of its
parent."""

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """An object that can start again in a forked child."""

    def renew(self) -> None:
        """Drop everything that belongs to the parent, and open nothing yet. Called while the child has only one
        thread."""
        ...


_renewables: WeakSet[Renewable] = WeakSet()
_abandoned: list[object] = []
_process = [os.getpid()]


def renew_after_fork(owner: Renewable) -> None:
    """Call `owner.renew()` in every child that this process forks while `owner` is in use."""
    _renewables.add(owner)


def abandon(*objects: object) -> None:
    """Keeps objects of the parent in memory. If they were garbage-collected, that would close sockets and selectors
    that the parent uses."""
    _abandoned.extend(objects)


def notice_fork() -> None:
    """Renew everything if this process is a child whose fork Python did not notice, as with uWSGI, which forks in C."""
    if os.getpid() != _process[0]:
        _renew_all()


def _renew_all() -> None:
    _process[0] = os.getpid()
    for owner in list(_renewables):
        owner.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
