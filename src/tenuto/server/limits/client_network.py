"""Groups client addresses that one client controls."""

from functools import lru_cache
from ipaddress import ip_address


@lru_cache(10_000)
def network_of(host: str) -> str:
    """Returns the address itself, or the /64 network of an IPv6 address: a client usually controls all 2^64 addresses
    of its network."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else f"{address.exploded[:19]}::/64"
