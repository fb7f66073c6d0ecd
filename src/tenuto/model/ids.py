"""Generates UUIDv7 ids. They sort by age, so that new rows are stored next to each other."""

import os
import time

_last = 0


def uuid7() -> str:
    """Returns a new UUIDv7 as text, larger than every earlier one of this process."""
    global _last
    # the twelve bits after the milliseconds are a counter within one millisecond
    now = time.time_ns() // 1_000_000 << 12
    _last = now if now > _last else _last + 1
    tail = int.from_bytes(os.urandom(8), "big") & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    head = f"{_last >> 12:012x}7{_last & 0xFFF:03x}"
    end = f"{tail:016x}"
    return f"{head[:8]}-{head[8:12]}-{head[12:]}-{end[:4]}-{end[4:]}"
