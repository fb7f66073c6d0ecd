"""A cheap HTTP client: a few persistent connections, one request after the other on each."""

import asyncio
import time
from dataclasses import dataclass

CONNECTIONS = 8


@dataclass(frozen=True)
class Ask:
    """One request, as bytes that are sent repeatedly."""

    method: str
    path: str
    key: str | None = None
    body: bytes = b""

    def text(self, port: int) -> bytes:
        lines = [f"{self.method} {self.path} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        if self.key:
            lines.append(f"Authorization: Bearer {self.key}")
        if self.body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + self.body


class Refused(Exception):
    """The server returned an error."""


def requests_per_second(port: int, ask: Ask, count: int, connections: int = CONNECTIONS) -> float:
    return asyncio.run(_measure(port, ask.text(port), count, connections))


async def _measure(port: int, text: bytes, count: int, connections: int) -> float:
    lines = [await asyncio.open_connection("127.0.0.1", port, limit=1 << 26) for _ in range(connections)]
    each = count // connections
    started = time.monotonic()
    await asyncio.gather(*(_ask(reader, writer, text, each) for reader, writer in lines))
    took = time.monotonic() - started
    for _, writer in lines:
        writer.close()
    return each * connections / took


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, text: bytes, count: int) -> None:
    for _ in range(count):
        writer.write(text)
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]
        body = await reader.readexactly(int(length))
        if not head.startswith(b"HTTP/1.1 2"):
            raise Refused((head + body[:500]).decode())
