"""Parses sizes: "512MB", "2GB", "800MiB", a number of bytes."""

import re

from tenuto.model.errors import InvalidInput

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]?I?B?)", re.IGNORECASE)


def size_in_bytes(text: str, what: str) -> int:
    """Return the size in bytes. K, M and G alone mean KB, MB and GB. Raises InvalidInput for any other text; `what` is
    the name of the value in the message."""
    match = _SIZE.fullmatch(text.strip())
    unit = match[2].upper() if match else ""
    factor = _UNITS.get(unit) or _UNITS.get(f"{unit}B")
    if match is None or factor is None or (size := int(float(match[1]) * factor)) < 1:
        raise InvalidInput(f"{what} is {text!r}, not a size", 'write "512MB", "2GB" or a number of bytes')
    return size
