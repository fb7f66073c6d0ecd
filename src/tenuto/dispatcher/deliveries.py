"""Delivers effects to destinations that an admin of the org declared: by a signed POST, an e-mail or a command."""

import asyncio
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING

from tenuto.db import outbox
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.mail import Mailer, MailServer, read_mail_server
from tenuto.dispatcher.notify_commands import notify_by_command, read_commands
from tenuto.model.addresses import Address, is_public
from tenuto.model.deliveries import EFFECT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, decrypt_secret, signature
from tenuto.model.json import Json
from tenuto.model.keys import Peppers
from tenuto.model.outbox import DestinationSecret, Effect

if TYPE_CHECKING:
    import httpx2

DELIVERY_SECONDS = 10.0  # from resolving the host to the end of the response's headers
NO_MAIL = "this dispatcher sends no e-mail: TENUTO_SMTP_URL and TENUTO_SMTP_FROM are not set in its environment"
PRIVATE_HINT = "TENUTO_PRIVATE_DESTINATIONS=1 in the dispatcher's environment allows it"


class DeliveryFailed(Exception):
    """The receiver did not respond with a 2xx status, or the dispatcher is not allowed to contact it."""


@dataclass(frozen=True)
class NotifySettings:
    """The settings for notifications that are not sent by HTTP: the mail server and the commands that the dispatcher's
    environment declares."""

    mail: MailServer | None = None
    commands: Mapping[str, str] = field(default_factory=dict[str, str])


def read_notify_settings(environment: Mapping[str, str]) -> NotifySettings:
    """Read the mail server and the commands of this dispatcher. Raises InvalidInput for a wrong setting."""
    mail = read_mail_server(environment.get("TENUTO_SMTP_URL"), environment.get("TENUTO_SMTP_FROM"))
    return NotifySettings(mail, read_commands(environment.get("TENUTO_NOTIFY_COMMANDS")))


class Deliverer:
    """The handler of effects of the kind `deliver`. Without `private`, it connects only to public addresses and only
    over HTTPS, because an admin of an org must not reach the network of the dispatcher (SSRF)."""

    def __init__(self, peppers: Peppers, *, private: bool = False, notify: NotifySettings | None = None) -> None:
        notify = notify or NotifySettings()
        self._peppers, self._private, self._commands = peppers, private, notify.commands
        self._mailer = None if notify.mail is None else Mailer(notify.mail)
        self._client: httpx2.AsyncClient | None = None

    async def __call__(self, pool: ConnectionPool, effect: Effect) -> None:
        name = effect.payload["destination"]
        destination = await pool.call(outbox.get_destination, org_id=effect.org_id, name=name)
        scheme, _, rest = destination.url.partition(":")
        body = effect.payload["body"]
        if scheme == "command":
            await notify_by_command(self._commands, effect, rest, name, body)
        elif scheme != "mailto":
            await self.post(effect, destination, name, body)
        elif self._mailer is None:
            raise DeliveryFailed(NO_MAIL)
        else:
            await self._mailer.send(effect, rest, name, body)

    async def post(self, effect: Effect, destination: DestinationSecret, name: str, content: Json) -> None:
        """Send a value to a destination, signed with its secret. Raises DeliveryFailed if the receiver does not respond
        with a 2xx status."""
        secret = decrypt_secret(destination.secret, effect.org_id, name, self._peppers)
        body = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        now = int(time.time())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "tenuto",
            EFFECT_HEADER: str(effect.id),
            TIMESTAMP_HEADER: str(now),
            SIGNATURE_HEADER: signature(secret, now, body),
        }
        try:
            async with asyncio.timeout(DELIVERY_SECONDS):
                await self._post(destination.url, body, headers)
        except TimeoutError:
            raise DeliveryFailed(f"no response within {DELIVERY_SECONDS:.0f} s") from None

    async def close(self) -> None:
        if self._mailer is not None:
            self._mailer.close()
        if self._client is not None:
            await self._client.aclose()

    async def _post(self, text: str, body: bytes, headers: dict[str, str]) -> None:
        """Sends the request to an address that was checked. Does not connect by host name, because the name could
        resolve to another address than the checked one."""
        import httpx2  # takes 30 ms; most dispatchers deliver nothing

        url = httpx2.URL(text)
        if url.scheme != "https" and not self._private:
            raise DeliveryFailed(f"the URL of the destination is not https; {PRIVATE_HINT}")
        addresses = await self._resolve(url.host, url.port or (443 if url.scheme == "https" else 80))
        headers["Host"] = url.netloc.decode()
        if self._client is None:
            # No connection is reused: the client keeps connections by address, and two hosts can have the same address.
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
            self._client = httpx2.AsyncClient(trust_env=False, timeout=DELIVERY_SECONDS, limits=limits)
        for address in addresses:
            request = self._client.build_request(
                "POST",
                url.copy_with(host=str(address)),
                content=body,
                headers=headers,
                extensions={"sni_hostname": url.host},
            )
            try:
                # the body is not read, because it may never end
                response = await self._client.send(request, stream=True)
            except httpx2.ConnectError as error:
                if address == addresses[-1]:
                    raise DeliveryFailed(f"cannot connect: {error}") from error
                continue
            except httpx2.HTTPError as error:
                raise DeliveryFailed(f"{type(error).__name__}: {error}") from error
            await response.aclose()
            if not response.is_success:  # redirects are not followed
                raise DeliveryFailed(f"the receiver responded with status {response.status_code}")
            return

    async def _resolve(self, host: str, port: int) -> list[Address]:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise DeliveryFailed(f"the host of the destination was not found: {error.strerror}") from error
        addresses = list(dict.fromkeys(ip_address(entry[4][0]) for entry in found))
        if not self._private and not all(map(is_public, addresses)):
            raise DeliveryFailed(f"the host of the destination has a private address; {PRIVATE_HINT}")
        return addresses
