"""Reading a JSON body as if it came from an enemy: bounded in size and depth, nothing that Postgres cannot hold."""

import asyncio
import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from fastapi import HTTPException, Request

from tenuto.model.errors import InvalidInput, TooLarge

MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_BULK_BODY_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 32
MAX_VALUES = 4_000_000  # 64 MB of empty lists would be 2 GB of objects, and keep everybody waiting for 11 s
LARGE_BODY_BYTES = 1024 * 1024  # bytes; to read more takes long enough that others are answered meanwhile
CHUNK_BYTES = 1024 * 1024
# A NUL or half of a surrogate pair, escaped or not; what this does not find has neither.
UNSOUND = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]|\x00")
UNSOUND_BYTES = 6

T = TypeVar("T")


class BoundedRequest(Request):
    """A request whose body is read once, up to the bound of its route."""

    most_bytes = MAX_BODY_BYTES
    most_depth = MAX_DEPTH

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            self._body = await read_bounded(self, self.most_bytes)
        return self._body

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            body = await self.body()
            self._json = await in_thread_if_large(body, lambda: parse_json(body, self.most_depth))
        return self._json

    def size(self) -> int:
        """The bytes of the body that was read, if it was."""
        return len(getattr(self, "_body", b""))

    def count_values(self) -> int:
        return count_values(getattr(self, "_body", b""))


class BulkRequest(BoundedRequest):
    """One that may bring many things at once."""

    most_bytes = MAX_BULK_BODY_BYTES
    most_depth = MAX_DEPTH + 4  # what wraps the values of a batch does not count


async def in_thread_if_large(body: bytes, work: Callable[[], T]) -> T:
    """What is done with a body: in a thread if it is large. The interpreter goes back and forth every 5 ms."""
    return await asyncio.to_thread(work) if len(body) > LARGE_BODY_BYTES else work()


def check_encoding(request: Request) -> None:
    """Refuse what would have to be unpacked: a small body may hold a very large one."""
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise HTTPException(415, f"the body is compressed with {encoding:.40}; send it as it is")


def check_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON: browsers let any page send other kinds."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise HTTPException(415, f"the body is {kind[:80] or 'of no kind'}; send Content-Type: application/json")


async def read_bounded(request: Request, most: int) -> bytes:
    """The body; refused with TooLarge as soon as it is clear."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        _refuse_size(most)
    body = bytearray()  # grows in place: a list of pieces would leave the heap full of holes
    async for chunk in request.stream():
        if len(body) + len(chunk) > most:
            _refuse_size(most)
        body += chunk
    return bytes(body)


def _refuse_size(most: int) -> NoReturn:
    raise TooLarge(f"the body is larger than {most // 1024 // 1024} MB", "send less at a time, or data objects")


def parse_json(body: bytes, most_depth: int = MAX_DEPTH) -> Any:
    """The value of a JSON body. Duplicate keys, NaN, NUL, lone surrogates and deep nesting are refused."""
    if count_values(body) > MAX_VALUES:
        raise TooLarge(f"the body holds more than {MAX_VALUES:,} values", "send less at a time, or data objects")
    try:
        value = DECODER.decode(body.decode())  # else json takes UTF-16 too, and halves of surrogate pairs
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the body is not UTF-8: byte {error.start} cannot be read") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from error
    except (RecursionError, ValueError) as error:
        raise unreadable(error, most_depth) from error
    check_item(value, most_depth, unsound=is_unsound(body))
    return value


def unreadable(error: RecursionError | ValueError, most_depth: int) -> InvalidInput:
    """What Python's decoder raises for JSON that is too deep, or that has an integer it does not read."""
    if isinstance(error, RecursionError):
        return InvalidInput(f"the body is nested more than {most_depth} deep")
    return InvalidInput("the body holds a number of more than 4300 digits")


def count_values(text: bytes | str) -> int:
    """About how many values a JSON text holds: what it costs follows these, not its bytes."""
    marks = (b",", b"[", b"{") if isinstance(text, bytes) else (",", "[", "{")
    return sum(text.count(mark) for mark in marks)  # pyright: ignore[reportArgumentType]


def check_item(value: Any, most_depth: int, *, unsound: bool) -> None:
    """Refuse what is nested too deep; look at every text if the body may hold some that Postgres cannot."""
    if unsound or _is_deep(value, most_depth):
        check_value(value, most_depth)


def is_unsound(body: bytes) -> bool:
    """Piece by piece: one search of 64 MB would let nobody else work for 0.3 s."""
    return any(UNSOUND.search(body, at, at + CHUNK_BYTES + UNSOUND_BYTES) for at in range(0, len(body), CHUNK_BYTES))


def _is_deep(value: Any, most: int) -> bool:
    """Without saying where: that would cost every sound body of a thousand reports more than reading it."""
    level = [value]
    for _ in range(most):
        if not level:
            return False
        level = [
            item
            for found in level
            if type(found) is dict or type(found) is list
            for item in (found.values() if type(found) is dict else found)
        ]
    return any(type(found) is dict or type(found) is list for found in level)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise InvalidInput(f"the body has the key {twice!r} twice in one object")
    return found


def _refuse_constant(text: str) -> NoReturn:
    raise InvalidInput(f"the body holds {text}, which is not JSON", "send a finite number or null")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise InvalidInput(f"the number {text:.40} is too large")
    return number


# Made once: with these hooks json.loads makes one for every body.
DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse_constant)


def check_value(value: Any, most_depth: int = MAX_DEPTH) -> None:
    """Refuse what is too deep, and texts that Postgres cannot hold; says where."""
    stack: list[tuple[Any, int, str]] = [(value, 1, "$")]
    while stack:
        found, depth, where = stack.pop()
        if isinstance(found, str):
            _check_text(found, where)
        elif isinstance(found, dict | list):
            if depth > most_depth:
                raise InvalidInput(f"the body is nested more than {most_depth} deep, at {where[:100]}")
            if isinstance(found, dict):
                for key in found:
                    _check_text(key, f"a key of {where}")
                stack.extend((item, depth + 1, f"{where}.{key}") for key, item in found.items())
            else:
                stack.extend((item, depth + 1, f"{where}[{no}]") for no, item in enumerate(found))


def _check_text(text: str, where: str) -> None:
    if "\x00" in text:
        raise InvalidInput(f"the text at {where[:100]} holds a NUL character", "leave it out: Postgres cannot store it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"the text at {where[:100]} holds half of a surrogate pair") from error
