"""Drops privileges permanently: sets resource limits, changes the user, forbids new privileges, filters system
calls."""

import math
import os
import resource
import signal

from tenuto.runtimes.sandbox import seccomp
from tenuto.runtimes.sandbox.spec import Limits, Spec
from tenuto.runtimes.sandbox.syscalls import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_CLEAR_ALL,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    drop_bounding_set,
    load_filter,
    prctl,
)


def drop_rights(spec: Spec) -> None:
    """Give up all rights that the code of the sandbox must not have."""
    _limit(spec.limits, own_user=spec.uid is not None)
    if spec.uid is not None:
        become(spec.uid)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if seccomp.can_filter():
        load_filter(seccomp.program())


def close_files() -> None:
    """Forbid this process to open files, start processes or make connections; this cannot be undone."""
    if seccomp.can_filter():
        load_filter(seccomp.closing_program())


def become(uid: int) -> None:
    """Become this user, without other groups and without capabilities."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    drop_bounding_set()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _limit(limits: Limits, *, own_user: bool) -> None:
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.cpu or math.ceil(limits.wall)),
        (resource.RLIMIT_AS, limits.address_space or limits.memory),
        (resource.RLIMIT_NOFILE, limits.files),
        (resource.RLIMIT_FSIZE, limits.file_size),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, limits.signals),
    ]
    if own_user:  # this limit counts all processes of the user; the worker's user may have more
        wanted.append((resource.RLIMIT_NPROC, limits.processes))
    for kind, most in wanted:
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # One second between the warning signal and the signal that kills.
        resource.setrlimit(kind, (bound, bound + 1 if kind == resource.RLIMIT_CPU else bound))
