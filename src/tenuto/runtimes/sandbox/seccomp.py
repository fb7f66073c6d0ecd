"""The seccomp filter of a sandbox, as a BPF program. Forbids system calls that only attacks need, and those that
allocate memory which is not attributed to a process."""

import errno
import platform
import struct
from collections.abc import Sequence

# The kernel's id of each supported architecture.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
Numbers = dict[str, tuple[int | None, int | None]]  # name: x86_64, aarch64 (None: the machine has no such call)
REFUSED: Numbers = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "open_by_handle_at": (304, 265),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "pidfd_getfd": (438, 438),
    "socket": (41, 198),  # of any family; socket pairs, which connect to nothing else, are handled below
}  # fmt: skip
# Calls that allocate memory no process has mapped, so that it is not counted, or that use resources of the whole
# machine (aio, watches). Programs have fallbacks for kernels without these calls, so they get ENOSYS.
ABSENT: Numbers = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "shmdt": (67, 197),
    "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192), "semctl": (66, 191),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedsend": (242, 182), "mq_timedreceive": (243, 183),
    "mq_notify": (244, 184), "mq_getsetattr": (245, 185),
    # These put pages of a file or process into a pipe or socket, where they stay allocated after all others released
    # them.
    "splice": (275, 76), "tee": (276, 77), "vmsplice": (278, 75), "sendfile": (40, 71),
    "io_setup": (206, 0), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "inotify_init": (253, None), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "landlock_create_ruleset": (444, 444),
}  # fmt: skip
# Calls that open files, start programs or make connections. `closing_program` forbids them.
OPENING: Numbers = {
    "open": (2, None), "openat": (257, 56), "openat2": (437, 437), "creat": (85, None), "execve": (59, 221),
    "execveat": (322, 281), "fork": (57, None), "vfork": (58, None), "mkdir": (83, None), "mkdirat": (258, 34),
    "mknod": (133, None), "mknodat": (259, 33), "symlink": (88, None), "symlinkat": (266, 36), "link": (86, None),
    "linkat": (265, 37), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "unlink": (87, None),
    "unlinkat": (263, 35), "truncate": (76, 45), "chmod": (90, None), "fchmodat": (268, 53), "connect": (42, 203),
    "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242), "kill": (62, 129),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "setsockopt": (54, 208),
}  # fmt: skip
_CLONE, _CLONE3, _MMAP, _FCNTL = (56, 220), (435, 435), (9, 222), (72, 25)
_SOCKETPAIR, _SETSOCKOPT = (53, 199), (54, 208)
_NEW_NAMESPACES, _CLONE_THREAD, _MAP_HUGETLB, _F_SETPIPE_SZ = 0x7E020000, 0x10000, 0x40000, 1031
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK, _SOL_SOCKET, _SO_SNDBUF, _SO_RCVBUF = 1, 1, 0xF, 1, 7, 8
_X32 = 0x40000000  # alternative numbers of x86_64 calls, which would bypass the list

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16


def can_filter() -> bool:
    return platform.machine() in MACHINES


def program() -> bytes:
    """Return the filter for this machine."""
    return _filter([(REFUSED, errno.EPERM), (ABSENT, errno.ENOSYS)], _by_argument(_column()))


def closing_program() -> bytes:
    """Return a second filter, for a process that must open nothing more and may only start threads."""
    threads_only = [_argument(0), _line(_ANY_BIT, _CLONE_THREAD, 1, 0), _refuse(errno.EPERM)]
    return _filter([(OPENING, errno.EACCES)], [(_CLONE[_column()], threads_only)])


def _column() -> int:
    return list(MACHINES).index(platform.machine())


def _filter(refused: Sequence[tuple[Numbers, int]], by_argument: Sequence[tuple[int, list[bytes]]]) -> bytes:
    """Return a program that refuses all calls in the tables `refused`; each table comes with its error. The calls in
    `by_argument` are refused depending on their arguments."""
    column = _column()
    lines = [
        _line(_LOAD, _MACHINE),
        _line(_EQUAL, MACHINES[platform.machine()], 1, 0),
        _line(_RETURN, _KILL),
        _line(_LOAD, _NUMBER),
        _line(_AT_LEAST, _X32, 0, 1),
        _refuse(errno.ENOSYS),
        # The flags of clone3 are in memory, which no filter can read. With ENOSYS, libraries use clone instead.
        *_call(_CLONE3[column], _refuse(errno.ENOSYS)),
    ]
    for calls, why in refused:
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                lines += _call(number, _refuse(why))
    for number, block in by_argument:
        lines += _call(number, *block, _line(_RETURN, _ALLOW))
    return b"".join([*lines, _line(_RETURN, _ALLOW)])


def _by_argument(column: int) -> list[tuple[int, list[bytes]]]:
    """Return the system calls that are forbidden only with some arguments. For each: its number, and the lines of the
    filter that check the arguments. They reject the call, or continue with the next line, which allows it."""
    not_permitted = _refuse(errno.EPERM)
    return [
        (_CLONE[column], [_argument(0), _line(_ANY_BIT, _NEW_NAMESPACES, 0, 1), not_permitted]),
        # Huge pages come from a pool of the machine and are not attributed to a process.
        (_MMAP[column], [_argument(3), _line(_ANY_BIT, _MAP_HUGETLB, 0, 1), _refuse(errno.ENOMEM)]),
        (_FCNTL[column], [_argument(1), _line(_EQUAL, _F_SETPIPE_SZ, 0, 1), not_permitted]),
        # A named socket or a datagram socket could hold data of many closed sockets; the end of a stream holds one
        # buffer. Watching memory relies on this, so the buffer size cannot be changed either.
        (_SOCKETPAIR[column], [
            _argument(0), _line(_EQUAL, _AF_UNIX, 1, 0), not_permitted,
            _argument(1), _line(_AND, _SOCK_TYPE_MASK), _line(_EQUAL, _SOCK_STREAM, 1, 0), not_permitted,
        ]),
        (_SETSOCKOPT[column], [
            _argument(1), _line(_EQUAL, _SOL_SOCKET, 0, 4),
            _argument(2), _line(_EQUAL, _SO_SNDBUF, 1, 0), _line(_EQUAL, _SO_RCVBUF, 0, 1), not_permitted,
        ]),
    ]  # fmt: skip


def _call(number: int, *block: bytes) -> list[bytes]:
    """Return lines that apply the block to this system call only. The block must end with a return instruction, because
    it may overwrite the loaded call number, which the lines after it compare."""
    return [_line(_EQUAL, number, 0, len(block)), *block]


def _argument(no: int) -> bytes:
    return _line(_LOAD, _ARGUMENTS + 8 * no)  # the lower half; all of these are ints


def _refuse(why: int) -> bytes:
    return _line(_RETURN, _REFUSE | why)


def _line(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("HBBI", code, then, otherwise, value)
