"""Finds out how strong a sandbox can be on this machine, by building one."""

import os
import sys
import tempfile
from dataclasses import dataclass

from tenuto.runtimes.sandbox import cgroup, seccomp
from tenuto.runtimes.sandbox.runtime import CannotBuild, of_python, start
from tenuto.runtimes.sandbox.spec import Code, Spec
from tenuto.runtimes.sandbox.uids import borrowed_uid

FULL, WEAK = "full", "weak"
# What code can do in a sandbox without walls (see spec.py), or without a user of its own, as shown to the admin.
BEHIND_WALLS = (
    "files outside its folder can be read",
    "other processes can be seen",
    "the disk and the memory of all its processes together have no bound",
)
OF_OWN_USER = (
    "files of the worker's user can be written",
    "other processes of that user can be read and signalled",
    "the number of processes is unbounded",
)


class SandboxUnavailable(Exception):
    """Raised if no sandbox can be built, or if only a weak one can be built and weak sandboxes are not allowed. The
    message says what to do."""


@dataclass(frozen=True)
class SandboxCapabilities:
    """The restrictions of a sandbox that this machine can enforce. `missing` lists those that it cannot enforce.
    `no_cgroup` is the reason why memory is only watched and not limited by a cgroup; None if it is limited."""

    root: bool
    walls: bool
    missing: tuple[str, ...]
    no_cgroup: str | None = None

    @property
    def name(self) -> str:
        return WEAK if self.missing else FULL

    def describe(self) -> str:
        if not self.missing:
            memory = (
                f"memory is watched ten times per second, because there is no memory cgroup ({self.no_cgroup})"
                if self.no_cgroup
                else "each has a memory cgroup"
            )
            return f"sandbox: each attempt has its own user, files, processes and network; {memory}"
        return f"WEAK sandbox, no boundary against hostile code; on this machine: {'; '.join(self.missing)}"


async def find_capabilities(*, weak: bool) -> SandboxCapabilities:
    """Return the strongest sandbox that can be built. Raises SandboxUnavailable if none can be built, or if it is
    incomplete and `weak` is not set."""
    if sys.platform != "linux":
        raise SandboxUnavailable(f"sandboxes need Linux, and this is {sys.platform}; run these tasks on a Linux worker")
    capabilities, why = await _try()
    if capabilities.missing and not weak:
        raise SandboxUnavailable(
            f"no full sandbox can be built on this machine ({why}); start the process as root; "
            f"a worker can also be started with --weak-sandbox, with which {'; '.join(capabilities.missing)}"
        )
    return capabilities


async def _try() -> tuple[SandboxCapabilities, str]:
    root = os.geteuid() == 0
    unfiltered = () if seccomp.can_filter() else ("system calls are not filtered, and the network is open",)
    why = "the process is not root"
    if root:
        try:
            await _build(walls=True)
        except CannotBuild as problem:
            why = str(problem)
        else:
            capabilities = SandboxCapabilities(True, True, unfiltered, cgroup.why_not())
            return capabilities, f"system calls cannot be filtered on {os.uname().machine}"
    try:
        await _build(walls=False)
    except CannotBuild as problem:
        raise SandboxUnavailable(f"no sandbox can be built on this machine: {problem}") from problem
    return SandboxCapabilities(root, False, (*BEHIND_WALLS, *(() if root else OF_OWN_USER), *unfiltered)), why


async def _build(*, walls: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="tenuto-sandbox-") as folder, borrowed_uid() as uid:
        user = uid if os.geteuid() == 0 else None
        spec = Spec(Code(), walls=walls, uid=user, root=folder, shown=of_python(), cwd="/", trial=True)
        await (await start(spec)).end()
