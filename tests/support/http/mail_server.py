"""A mail server in a thread: accepts messages as SMTP says, and keeps them."""

import socketserver
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage


class Handler(socketserver.StreamRequestHandler):
    server: "MailReceiver"  # pyright: ignore[reportIncompatibleVariableOverride]

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline():
            command, _, rest = line.decode().strip().partition(" ")
            command = command.upper()
            if command == "EHLO":
                self._say("250-here\r\n250-8BITMIME\r\n250 AUTH PLAIN")
            elif command == "AUTH":
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

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.messages: list[EmailMessage] = []
        self.commands: list[str] = []
        self.logins: list[str] = []
        self.released = threading.Event()
        self.released.set()
        self.port: int = self.server_address[1]


@contextmanager
def a_mail_server() -> Iterator[MailReceiver]:
    with MailReceiver() as receiver:
        threading.Thread(target=receiver.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield receiver
        finally:
            receiver.released.set()
            receiver.shutdown()
