"""Fetches URLs of the Internet. A URL that a tenant writes must not lead to a host in the private network of this
process (SSRF)."""

import socket
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, BinaryIO

from tenuto.model.addresses import Address, is_public

if TYPE_CHECKING:
    import httpx2

MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
PORTS = {"http": 80, "https": 443}
HINT = "to allow it, add the host to TENUTO_ALLOWED_HOSTS in the environment of the worker"


class AddressRefused(Exception):
    """The URL is not allowed, or leads to a host that must not be contacted."""


class FetchFailed(Exception):
    """The server did not respond as it should. `status` is the status of its response, None without a response."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Fetch:
    """A request: its address and headers, the maximum time for everything, and the maximum number of bytes to read."""

    url: str
    # Both kinds of headers are sent to the host of the URL only, not to other hosts to which it redirects.
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    secret_headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    max_bytes: int = 100 * 2**20
    seconds: float = 60.0  # for everything, from the look-up of the host to the last byte


def fetch(request: Fetch, target: BinaryIO, allowed_hosts: Collection[str] = ()) -> str:
    """Send a GET request, write the response to `target`, and return its content type. Follows redirects. Every host
    must have public addresses only, unless it is one of `allowed_hosts` (`host` or `host:port`). The request is sent to
    an address that was checked. It is not sent to the host name, because this name could resolve to another address by
    then."""
    import httpx2  # takes 30 ms

    deadline = time.monotonic() + request.seconds
    url = first = httpx2.URL(request.url)
    limits = httpx2.Limits(max_keepalive_connections=0)  # two hosts at one address would share a kept connection
    with httpx2.Client(trust_env=False, follow_redirects=False, limits=limits) as client:
        for _ in range(MAX_REDIRECTS + 1):
            same_host = (url.scheme, url.host, url.port) == (first.scheme, first.host, first.port)
            headers = {**request.headers, **request.secret_headers} if same_host else {}
            try:
                response = _send(client, url, headers, _addresses(url, allowed_hosts), deadline)
                try:
                    if not response.has_redirect_location:
                        return _receive(response, request, target, deadline)
                    following = url.join(response.headers["location"])
                finally:
                    response.close()
            except (httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise FetchFailed(f"{url.host}: {type(error).__name__}: {error}") from error
            if url.scheme == "https" and following.scheme != "https":
                raise AddressRefused(f"{url.host} redirects to a URL without TLS")
            url = following
    raise FetchFailed(f"{first.host} redirects more than {MAX_REDIRECTS} times")


def _addresses(url: "httpx2.URL", allowed_hosts: Collection[str]) -> list[Address]:
    """Return the addresses of the host. Raises AddressRefused if the URL is not allowed, or if an address is private
    and the host is not one of `allowed_hosts`."""
    if url.scheme not in PORTS or not url.host:
        raise AddressRefused("the URL must begin with http:// or https://")
    if url.userinfo:
        raise AddressRefused("the URL contains a user or a password; use a secret")
    port = url.port or PORTS[url.scheme]
    try:
        found = socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise FetchFailed(f"the host {url.host} was not found: {error}") from error
    addresses = list(dict.fromkeys(ip_address(entry[4][0]) for entry in found))
    allowed = url.host in allowed_hosts or f"{url.host}:{port}" in allowed_hosts
    if not allowed and not all(map(is_public, addresses)):
        raise AddressRefused(f"the host {url.host} has a private address; {HINT}")
    return addresses


def _send(
    client: "httpx2.Client", url: "httpx2.URL", headers: Mapping[str, str], addresses: list[Address], deadline: float
) -> "httpx2.Response":
    import httpx2

    for address in addresses:
        request = client.build_request(
            "GET",
            url.copy_with(host=str(address)),
            headers={"User-Agent": "tenuto", "Accept-Encoding": "identity", **headers, "Host": url.netloc.decode()},
            extensions={"sni_hostname": url.host},
            timeout=httpx2.Timeout(_left(deadline), connect=min(CONNECT_SECONDS, _left(deadline))),
        )
        try:
            return client.send(request, stream=True)
        except httpx2.ConnectError:
            if address == addresses[-1]:
                raise
    raise FetchFailed(f"the host {url.host} has no address")


def _receive(response: "httpx2.Response", request: Fetch, target: BinaryIO, deadline: float) -> str:
    if not response.is_success:
        raise FetchFailed(f"the server responded with status {response.status_code}", response.status_code)
    size = 0
    for part in response.iter_bytes():
        size += len(part)
        if size > request.max_bytes:
            raise FetchFailed(f"the response is larger than {request.max_bytes:,} bytes", response.status_code)
        target.write(part)
        _left(deadline)  # a server that sends a byte from time to time must not delay the task without end
    return str(response.headers.get("content-type", ""))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise FetchFailed("the response did not arrive in time")
    return left
