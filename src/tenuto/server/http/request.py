"""The HTTP request and its untrusted JSON body. Limits the size and the depth of the body, and refuses texts that
Postgres cannot store."""

import asyncio
import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope

from tenuto.model.audit import RequestOrigin
from tenuto.model.errors import InvalidInput, TooLarge, Unauthorized
from tenuto.model.json import Json
from tenuto.sdk.values.wire_format import MAX_DEPTH
from tenuto.server.http.request_log import RequestRecord
from tenuto.server.state import ServerState

MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_BULK_BODY_BYTES = 64 * 1024 * 1024
MAX_VALUES = 4_000_000  # parsing 64 MB of empty lists would take 2 GB of memory and block other requests for 11 s
LARGE_BODY_BYTES = 1024 * 1024  # larger bodies count against the memory of their org
# Larger bodies are parsed and validated in a thread, so that other requests proceed meanwhile. Writing the errors of a
# body of 1 MB whose keys are all unknown takes half a second.
INLINE_BODY_BYTES = 128 * 1024
CHUNK_BYTES = 1024 * 1024
# Finds every NUL and every lone surrogate, escaped or not. May also match texts that Postgres can store.
UNSOUND = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]|\x00")
UNSOUND_BYTES = 6

T = TypeVar("T")


class HttpRequest(Request):
    """A request with the state of its server and its own record. Its body is read once, up to the limit of the
    route."""

    max_bytes = MAX_BODY_BYTES
    max_depth = MAX_DEPTH

    def __init__(self, scope: Scope, receive: Receive) -> None:
        super().__init__(scope, receive)
        self.server: ServerState = scope["app"].state
        self.record: RequestRecord = scope["tenuto.record"]
        self.parsed_json: Any = None  # the parsed body; None until `json` is called
        self._bytes: bytes | None = None

    async def body(self) -> bytes:
        if self._bytes is None:
            self._bytes = await read_bounded(self, self.max_bytes)
        return self._bytes

    async def json(self) -> Any:
        """Parse the body. Called once per request."""
        body = await self.body()
        self.parsed_json = await in_thread_if_large(body, lambda: parse_json(body, self.max_depth))
        return self.parsed_json

    def bearer(self, hint: str) -> str:
        """Returns the credential of the `Authorization: Bearer …` header. Raises Unauthorized with `hint` if there is
        none."""
        scheme, _, text = self.headers.get("authorization", "").partition(" ")
        if scheme and scheme.lower() != "bearer":
            raise Unauthorized("`Bearer ` is missing before the credential", hint)
        if not text.strip():
            raise Unauthorized("no credential was sent", hint)
        return text.strip()

    def origin(self) -> RequestOrigin:
        ip = self.client.host if self.client else None
        return RequestOrigin(ip, self.headers.get("user-agent"), self.record.request_id)

    async def until_disconnected(self) -> None:
        """Wait until the client disconnects or the server stops."""
        parts = [asyncio.create_task(self._disconnected()), asyncio.create_task(self.server.stopping.wait())]
        try:
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for part in parts:
                part.cancel()

    async def _disconnected(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def announced_size(self) -> int:
        """Returns the size that the body may have: its Content-Length, the maximum of the route for a body of unknown
        length, or 0 without a body."""
        length = self.headers.get("content-length", "")
        if length.isdigit():
            return min(int(length), self.max_bytes)
        return self.max_bytes if "transfer-encoding" in self.headers else 0

    def size(self) -> int:
        """Returns the size of the body in bytes, or 0 if it was not read."""
        return len(self._bytes or b"")

    def count_values(self) -> int:
        return count_values(self._bytes or b"")


class BulkHttpRequest(HttpRequest):
    """A request that may hold many items."""

    max_bytes = MAX_BULK_BODY_BYTES
    max_depth = MAX_DEPTH + 4  # the 4 levels around the values of a batch do not count


async def in_thread_if_large(body: bytes, work: Callable[[], T]) -> T:
    """Runs `work` on a body, in a thread if the body is large: other requests proceed meanwhile, because the
    interpreter switches threads every 5 ms."""
    return await asyncio.to_thread(work) if len(body) > INLINE_BODY_BYTES else work()


def check_encoding(request: Request) -> None:
    """Refuses compressed bodies with 415, because a small body could decompress to a very large one."""
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise HTTPException(415, f"the body is compressed with {encoding:.40}; send it uncompressed")


def check_json(request: Request) -> None:
    """Refuses a body without a JSON content type with 415. Browsers let a page of any site send bodies of other
    types."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise HTTPException(415, f"the content type is {kind[:80] or 'missing'}; send Content-Type: application/json")


async def read_bounded(request: Request, max_bytes: int) -> bytes:
    """Returns the body; raises TooLarge as soon as it is over the limit."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        _refuse_size(max_bytes)
    body = bytearray()  # grows in place: a list of chunks would fragment the heap
    async for chunk in request.stream():
        if len(body) + len(chunk) > max_bytes:
            _refuse_size(max_bytes)
        body += chunk
    return bytes(body)


def _refuse_size(max_bytes: int) -> NoReturn:
    raise TooLarge(f"the body is larger than {max_bytes // 1024 // 1024} MB", "split the request, or pass data objects")


def parse_json(body: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Parses a JSON body. Refuses duplicate keys, NaN, NUL, lone surrogates and deep nesting."""
    if count_values(body) > MAX_VALUES:
        raise TooLarge(f"the body contains more than {MAX_VALUES:,} values", "split the request, or pass data objects")
    try:
        value = DECODER.decode(body.decode())  # decode first: json also accepts UTF-16 and lone surrogates
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not UTF-8: the byte at index {error.start} cannot be decoded") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from error
    except (RecursionError, ValueError) as error:
        raise unreadable(error, max_depth) from error
    check_item(value, max_depth, unsound=is_unsound(body))
    return value


def unreadable(error: RecursionError | ValueError, max_depth: int) -> InvalidInput:
    """Returns the error for JSON that is nested too deep or has an integer that Python's decoder does not read."""
    if isinstance(error, RecursionError):
        return InvalidInput(f"the body is nested more than {max_depth} deep")
    return InvalidInput("the body contains a number with more than 4300 digits")


def count_values(text: bytes | str) -> int:
    """Returns about how many values a JSON text has. The cost of parsing depends on their number more than on the
    bytes."""
    marks = (b",", b"[", b"{") if isinstance(text, bytes) else (",", "[", "{")
    return sum(text.count(mark) for mark in marks)  # pyright: ignore[reportArgumentType]


def check_item(value: Any, max_depth: int, *, unsound: bool) -> None:
    """Raises InvalidInput for a value that is nested too deep or, if `unsound` is set, has a text that Postgres cannot
    store."""
    if unsound or _is_deep(value, max_depth):
        check_value(value, max_depth)


def is_unsound(body: bytes) -> bool:
    """Returns whether the body may hold a NUL or a lone surrogate. Searches in chunks, because one search over 64 MB
    would block all other threads for 0.3 s."""
    return any(UNSOUND.search(body, at, at + CHUNK_BYTES + UNSOUND_BYTES) for at in range(0, len(body), CHUNK_BYTES))


def _is_deep(value: Json, max_depth: int) -> bool:
    """Returns whether the value is nested deeper than `max_depth`. Does not return the position of the deep part: for a
    valid body of a thousand reports, recording positions would take longer than parsing."""
    level: list[Json] = [value]
    for _ in range(max_depth):
        if not level:
            return False
        # Comparing types is faster: isinstance, which pyright understands, takes 1.5 times as long.
        level = [
            item
            for node in level
            if type(node) is dict or type(node) is list
            for item in (node.values() if type(node) is dict else node)  # pyright: ignore
        ]
    return any(type(node) is dict or type(node) is list for node in level)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise InvalidInput(f"the body has the key {twice!r:.100} twice in one object")
    return unique


def _refuse_constant(text: str) -> NoReturn:
    raise InvalidInput(f"the body contains {text}, which is not JSON", "send a finite number or null")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise InvalidInput(f"the number {text:.40} is too large")
    return number


# Built once: with these hooks json.loads would build a decoder per body.
DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse_constant)


def check_value(value: Json, max_depth: int = MAX_DEPTH) -> None:
    """Raises InvalidInput for a value that is nested too deep or has a text that Postgres cannot store. The message
    says where."""
    stack: list[tuple[Json, int, str]] = [(value, 1, "$")]
    while stack:
        node, depth, where = stack.pop()
        if isinstance(node, str):
            _check_text(node, where)
        elif isinstance(node, dict | list):
            if depth > max_depth:
                raise InvalidInput(f"the body is nested more than {max_depth} deep, at {where[:100]}")
            if isinstance(node, dict):
                for key in node:
                    _check_text(key, f"a key of {where}")
                stack.extend((item, depth + 1, f"{where}.{key}") for key, item in node.items())
            else:
                stack.extend((item, depth + 1, f"{where}[{no}]") for no, item in enumerate(node))


def _check_text(text: str, where: str) -> None:
    if "\x00" in text:
        raise InvalidInput(
            f"the text at {where[:100]} contains a NUL character", "leave it out: Postgres cannot store it"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"the text at {where[:100]} contains half of a surrogate pair") from error
