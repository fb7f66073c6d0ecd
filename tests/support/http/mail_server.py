"""A mail server in a thread: accepts messages as SMTP says, and keeps them."""

import socketserver
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Literal

Encryption = Literal["none", "starttls", "tls"]


class Handler(socketserver.StreamRequestHandler):
    server: "MailReceiver"  # pyright: ignore[reportIncompatibleVariableOverride]
    encrypted = False

    def handle(self) -> None:
        try:
            if self.server.encryption == "tls":
                self._encrypt()
            self._serve()
        except OSError as error:  # the client does not trust the certificate
            self.server.refusals.append(str(error))

    def _serve(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline():
            command, _, rest = line.decode().strip().partition(" ")
            command = command.upper()
            if command == "EHLO":
                offers = "250-STARTTLS\r\n" if self.server.encryption == "starttls" and not self.encrypted else ""
                self._say(f"250-here\r\n250-8BITMIME\r\n{offers}250 AUTH PLAIN")
            elif command == "STARTTLS":
                self._say("220 go on")
                self._encrypt()
            elif command == "AUTH":
                self.server.encrypted.append(self.encrypted)
                self.server.logins.append(b64decode(rest.removeprefix("PLAIN ")).decode())
                self._say("235 welcome")
            elif command == "RCPT" and "refused@" in rest:
                self._say("550 no such user")
            elif command == "DATA":
                self._say("354 go on")
                self._receive()
            else:
                self.server.commands.append(f"{command} {rest}")
                self._say("221 bye" if command == "QUIT" else "250 ok")

    def finish(self) -> None:
        super().finish()
        self.connection.close()  # the server closes only the socket that it accepted

    def _encrypt(self) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.server.certificate)
        self.request = self.connection = context.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.encrypted = True

    def _receive(self) -> None:
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.messages.append(message_from_bytes(b"".join(lines), EmailMessage, policy=policy.SMTP))
        self.server.released.wait(30)
        self._say("250 accepted")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


class MailReceiver(socketserver.ThreadingTCPServer):
    """Accepts every message once `released`, except for an address that begins with `refused@`."""

    daemon_threads = True

    def __init__(self, host: str, encryption: Encryption, certificate: Path) -> None:
        super().__init__((host, 0), Handler)
        self.encryption, self.certificate = encryption, certificate
        self.encrypted: list[bool] = []  # whether each password came encrypted
        self.refusals: list[str] = []  # connections that ended with an error
        self.messages: list[EmailMessage] = []
        self.commands: list[str] = []
        self.logins: list[str] = []
        self.released = threading.Event()
        self.released.set()
        self.port: int = self.server_address[1]


@contextmanager
def a_mail_server(
    host: str = "127.0.0.1", encryption: Encryption = "none", certificate: Path = Path()
) -> Iterator[MailReceiver]:
    with MailReceiver(host, encryption, certificate) as receiver:
        threading.Thread(target=receiver.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield receiver
        finally:
            receiver.released.set()
            receiver.shutdown()
