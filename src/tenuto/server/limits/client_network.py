"""Which client addresses count as one."""

from functools import lru_cache
from ipaddress import ip_address


@lru_cache(10_000)
def network_of(host: str) -> str:
    """The address itself, or the /64 of an IPv6 address: whoever has one address of it has all 2^64."""
    try:
        found = ip_address(host)
    except ValueError:
        return host
    return host if found.version == 4 else f"{found.exploded[:19]}::/64"
