"""Network addresses: which of them are on the Internet, and which belong to a private network."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network

NAT64 = IPv6Network("64:ff9b::/96")
UNICAST = IPv6Network("2000::/3")  # every address assigned on the Internet; site-local and translated ones are outside

Address = IPv4Address | IPv6Address


def is_public(address: Address) -> bool:
    """Returns whether the address is on the Internet. An IPv6 address that contains an IPv4 address is public if the
    IPv4 address is."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in UNICAST:
            return False
    return address.is_global and not address.is_multicast
