"""The Linux system calls that building a sandbox needs and that Python does not provide."""

import ctypes
import os
import platform
import struct

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip
MNT_DETACH = 2
NEW_MOUNTS, NEW_NAME, NEW_IPC, NEW_PIDS, NEW_NETWORK = 0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
SECCOMP_MODE_FILTER = 2
LAST_CAPABILITY = 63

_libc = ctypes.CDLL(None, use_errno=True)
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _checked(_libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]), f"mount {target}")


def unmount(target: str) -> None:
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def pivot_root(new: str, old: str) -> None:
    _checked(_libc.syscall(_PIVOT_ROOT[platform.machine()], new.encode(), old.encode()), "pivot_root")


def prctl(option: int, first: int = 0, second: int = 0) -> None:
    words = [ctypes.c_ulong(word) for word in (first, second, 0, 0)]
    _checked(_libc.prctl(option, *words), f"prctl {option}")


def drop_bounding_set() -> None:
    """Prevent programs that this process starts from gaining capabilities, even if their file grants them."""
    for number in range(LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, number)
        except OSError:  # the kernel knows fewer capabilities
            return


def load_filter(program: bytes) -> None:
    """Install a seccomp filter for this process and everything it starts."""
    held = ctypes.create_string_buffer(program, len(program))
    description = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    pointer = ctypes.create_string_buffer(description, len(description))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(pointer))
