"""Delivers effects by e-mail, over the SMTP server in the environment of the dispatcher."""

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from tenuto.model.deliveries import ADDRESS
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.outbox import Effect

if TYPE_CHECKING:
    from email.message import EmailMessage
    from smtplib import SMTP

SMTP_SECONDS = 10.0  # timeout of one response of the server
MAIL_SECONDS = 30.0  # timeout of sending one message
MAX_THREADS = 8
MAX_SUBJECT = 200
MAX_BODY_BYTES = 64 * 1024
PORTS = {"smtp": 25, "smtps": 465}


class MailFailed(Exception):
    """The mail server did not accept the message."""


@dataclass(frozen=True)
class MailServer:
    """The SMTP server to which messages are sent, and the address of their sender."""

    host: str
    port: int
    sender: str
    tls: bool = False  # TLS from the first byte; otherwise STARTTLS if the server supports it
    user: str | None = None
    password: str = field(default="", repr=False)


def read_mail_server(url: str | None, sender: str | None) -> MailServer | None:
    """Parse TENUTO_SMTP_URL and TENUTO_SMTP_FROM; None if neither is set. Raises InvalidInput for wrong values; the
    message does not contain the URL, which can have a password."""
    if not url and not sender:
        return None
    if not url or not sender:
        raise InvalidInput(
            f"TENUTO_SMTP_{'FROM' if url else 'URL'} is missing: e-mail needs TENUTO_SMTP_URL and TENUTO_SMTP_FROM",
            "set both, or none",
        )
    if not ADDRESS.fullmatch(sender):
        raise InvalidInput(f"TENUTO_SMTP_FROM is {sender[:100]!r}, which is not an address", "write tenuto@example.com")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise InvalidInput("TENUTO_SMTP_URL is not the URL of a mail server", "write smtp://user:password@host:587")
    user = None if parts.username is None else unquote(parts.username)
    return MailServer(
        parts.hostname,
        port or PORTS[parts.scheme],
        sender,
        tls=parts.scheme == "smtps",
        user=user,
        password=unquote(parts.password or ""),
    )


class Mailer:
    """Sends messages in threads of its own, so that a mail server that hangs delays only e-mail."""

    def __init__(self, server: MailServer) -> None:
        self._server = server
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="tenuto-mail")

    async def send(self, effect: Effect, address: str, name: str, body: Json) -> None:
        """Send one message. Raises MailFailed if the mail server does not accept it in time."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(MAIL_SECONDS):
                await loop.run_in_executor(self._threads, self._send, effect, address, name, body)
        except TimeoutError:
            raise MailFailed(f"the mail server did not accept the message within {MAIL_SECONDS:.0f} s") from None

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _send(self, effect: Effect, address: str, name: str, body: Json) -> None:
        from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException  # most dispatchers send none

        message = build_message(effect, self._server.sender, address, name, body)
        try:
            with self._connect() as smtp:
                self._secure(smtp)
                smtp.send_message(message, self._server.sender, [address])
        except SMTPRecipientsRefused as error:
            status, reason = error.recipients[address]
            raise MailFailed(f"the mail server refused {address}: {status} {_one_line(reason.decode())}") from error
        except SMTPResponseException as error:
            raise MailFailed(f"the mail server responded with {error.smtp_code} ({type(error).__name__})") from error
        except SMTPException as error:
            raise MailFailed(f"{type(error).__name__}: {_one_line(str(error))}") from error
        except OSError as error:
            raise MailFailed(f"no connection to the mail server: {error.strerror or error}") from error

    def _connect(self) -> "SMTP":
        from smtplib import SMTP, SMTP_SSL
        from ssl import create_default_context

        server, own = self._server, socket.gethostname()
        if server.tls:
            return SMTP_SSL(server.host, server.port, own, timeout=SMTP_SECONDS, context=create_default_context())
        return SMTP(server.host, server.port, own, timeout=SMTP_SECONDS)

    def _secure(self, smtp: "SMTP") -> None:
        """Encrypts the connection by STARTTLS if the server is on another machine and supports it. Then logs in if a
        user is set. Raises MailFailed if a password would be sent to another machine without TLS."""
        from ssl import create_default_context

        server = self._server
        smtp.ehlo()
        is_here = server.host in ("localhost", "127.0.0.1", "::1")
        if not server.tls and not is_here:
            if smtp.has_extn("starttls"):
                smtp.starttls(context=create_default_context())
                smtp.ehlo()
            elif server.user is not None:
                raise MailFailed("the mail server has no STARTTLS; the password of TENUTO_SMTP_URL is not sent to it")
        if server.user is not None:
            smtp.login(server.user, server.password)


def build_message(effect: Effect, sender: str, address: str, name: str, body: Json) -> "EmailMessage":
    """Return the e-mail for an effect. For an alert, the subject and the first line contain its summary. The rest is
    the body of the effect as JSON. The Message-ID is the same whenever the effect is tried again."""
    from email.message import EmailMessage
    from email.policy import SMTP
    from email.utils import format_datetime

    message = EmailMessage(SMTP)
    subject = f"Effect {effect.id} for {name}"
    if isinstance(body, dict) and "alert" in body and "summary" in body:
        subject = "[{status}] {rule}: {summary}".format_map({"status": "", "rule": name, **body})
    subject = _one_line(subject)
    message["Subject"] = subject
    message["From"], message["To"] = sender, address
    message["Date"] = format_datetime(effect.created_at)
    message["Message-ID"] = f"<{effect.id}.{effect.org_id}@{sender.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"
    message["Tenuto-Effect"] = str(effect.id)
    text = f"{subject}\n\n{json.dumps(body, indent=2, ensure_ascii=False)}\n".encode()
    if len(text) > MAX_BODY_BYTES:
        text = text[:MAX_BODY_BYTES] + f"\n… cut: the body has {len(text):,} bytes\n".encode()
    message.set_content(text.decode(errors="ignore"), cte="quoted-printable")
    return message


def _one_line(text: str) -> str:
    """Return text that cannot end a header line: each character that is not printable is replaced by a space."""
    return "".join(char if char.isprintable() else " " for char in text)[:MAX_SUBJECT]
