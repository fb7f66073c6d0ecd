"""Which system calls a sandbox may not make: those that only an attack needs. A seccomp filter, written out."""

import errno
import platform
import struct

# By machine: the word that the kernel names it with, and the numbers of the calls.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NUMBERS: dict[str, tuple[int, int]] = {
    # name: x86_64, aarch64
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "open_by_handle_at": (304, 265),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "pidfd_getfd": (438, 438),
}  # fmt: skip
_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)
_NEW_NAMESPACES = 0x7E020000
_X32 = 0x40000000  # the other numbers of x86_64, which would pass the list

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16


def can_filter() -> bool:
    return platform.machine() in MACHINES


def program(*, sockets: bool) -> bytes:
    """The filter for this machine. Without `sockets` none can be made, only pairs, which lead nowhere."""
    column = list(MACHINES).index(platform.machine())
    refused = [numbers[column] for numbers in _NUMBERS.values()]
    if not sockets:
        refused.append(_SOCKET[column])
    lines = [
        _line(_LOAD, _MACHINE),
        _line(_EQUAL, MACHINES[platform.machine()], 1, 0),
        _line(_RETURN, _KILL),
        _line(_LOAD, _NUMBER),
        _line(_AT_LEAST, _X32, 0, 1),
        _line(_RETURN, _REFUSE | errno.ENOSYS),
        # Its flags lie in memory, where no filter can look: told that it is missing, libraries take clone instead.
        _line(_EQUAL, _CLONE3[column], 0, 1),
        _line(_RETURN, _REFUSE | errno.ENOSYS),
    ]
    for number in refused:
        lines += [_line(_EQUAL, number, 0, 1), _line(_RETURN, _REFUSE | errno.EPERM)]
    lines += [
        _line(_EQUAL, _CLONE[column], 0, 3),
        _line(_LOAD, _FIRST_ARGUMENT),
        _line(_ANY_BIT, _NEW_NAMESPACES, 0, 1),
        _line(_RETURN, _REFUSE | errno.EPERM),
        _line(_RETURN, _ALLOW),
    ]
    return b"".join(lines)


def _line(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)
