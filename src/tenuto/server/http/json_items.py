"""Reads a JSON list item by item, so that the objects of a large body are never in memory all at once."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, NoReturn

from pydantic import TypeAdapter, ValidationError

from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.server.http.problems import MAX_ERRORS, InvalidRequest
from tenuto.server.http.request import DECODER, check_item, count_values, is_unsound, parse_json, unreadable

MAX_ITEM_VALUES = 2_000_000  # a graph of 100,000 tasks has half as many; a parsed value takes about 150 bytes
WINDOW_BYTES = 1024 * 1024
SPACE = " \t\n\r"


class CheckedItems:
    """Iterates over the items of a list body and validates each one. Can be read only once; keeps no items."""

    def __init__(self, body: bytes, item: TypeAdapter[Any], *, max_items: int, max_depth: int) -> None:
        self._body, self._item = body, item
        self._max_items, self._max_depth = max_items, max_depth

    def __iter__(self) -> Iterator[Any]:
        _check_list(self._body)
        errors: list[Any] = []
        wrong: dict[int, Any] = {}
        count = 0
        for no, value in enumerate(read_items(self._body, self._max_depth)):
            count += 1
            if count > self._max_items:
                raise _refusal("too_long", {}, actual_length=count, max_length=self._max_items)
            try:
                item = self._item.validate_python(value)
            except ValidationError as error:
                failures = error.errors(include_url=False)
                errors += [{**failure, "loc": ("body", no, *failure["loc"])} for failure in failures]
                wrong[no] = value
                if len(errors) >= MAX_ERRORS:
                    break
            else:
                if not errors:
                    yield item
        if errors:
            raise InvalidRequest(errors, [wrong.get(no) for no in range(count)])
        if not count:
            raise _refusal("too_short", [], actual_length=0, min_length=1)


def _check_list(body: bytes) -> None:
    """Raises InvalidRequest for a body that is not a list. Does not parse a body that is an object, which may be
    large."""
    first = body[:100].lstrip()[:1]
    if first == b"{":
        raise _refusal("list_type", {})
    if first != b"[":
        raise _refusal("list_type", parse_json(body))


def _refusal(kind: str, value: object, **bounds: int) -> InvalidRequest:
    error = {"type": kind, "loc": ("body",), "msg": kind, "input": value, "ctx": bounds}
    return InvalidRequest([error], value)


def read_items(body: bytes, max_depth: int) -> Iterator[Any]:
    """Yields the items of a JSON list one by one; raises InvalidInput for any other body."""
    window, unsound = _Window(body), is_unsound(body)
    if window.next_mark() != "[":
        window.refuse("Expecting a list", window.at)
    window.at += 1
    if window.next_mark() == "]":
        window.at += 1
    else:
        while True:
            item = window.read_item(max_depth)
            check_item(item, max_depth - 1, unsound=unsound)
            yield item
            del item  # do not keep the item in memory while the next one is read
            mark = window.next_mark()
            if mark not in (",", "]"):
                window.refuse("Expecting ',' delimiter", window.at)
            window.at += 1
            if mark == "]":
                break
    if window.next_mark():
        window.refuse("Extra data", window.at)


class _Window:
    """The decoded part of the body. It grows until it holds a whole item, then drops that item."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._decoder = getincrementaldecoder("utf-8")()
        self._read = 0  # bytes of the body that are decoded
        self._before = 0  # bytes of the body before the window
        self.text, self.at = "", 0

    def read_item(self, max_depth: int) -> Any:
        """Returns the item at the current position. Raises TooLarge if an item that fills the window has too many
        values."""
        self.next_mark()
        while True:
            if self.at == 0 and count_values(self.text) > MAX_ITEM_VALUES:
                message = (
                    f"a large item of the list contains, with the items after it, more than {MAX_ITEM_VALUES:,} values"
                )
                raise TooLarge(message, "send it in a separate request, or pass parts of it as data objects")
            try:
                item, end = DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if not self._grow():
                    self.refuse(error.msg, error.pos)
                continue
            except (RecursionError, ValueError) as error:
                raise unreadable(error, max_depth) from error
            if end == len(self.text) and self._grow():
                continue  # a number may continue in the next part of the body
            self.at = end
            return item

    def next_mark(self) -> str:
        """Skips whitespace and returns the next character, or "" at the end of the body."""
        while True:
            text, at = self.text, self.at
            while at < len(text) and text[at] in SPACE:
                at += 1
            self.at = at
            if at < len(text):
                return text[at]
            if not self._grow():
                return ""

    def _grow(self) -> bool:
        """Drops the parsed text and decodes the next part of the body, which is at least as long as the remaining text.
        Returns False at the end of the body, else True."""
        if self._read == len(self._body):
            return False
        self._before += len(self.text[: self.at].encode())
        kept = self.text[self.at :]
        piece = self._body[self._read : self._read + max(WINDOW_BYTES, len(kept))]
        pending = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(piece, final=self._read + len(piece) == len(self._body))
        except UnicodeDecodeError as error:
            wrong = self._read - pending + error.start
            raise InvalidInput(f"the body is not UTF-8: the byte at index {wrong} cannot be decoded") from error
        self._read += len(piece)
        self.text, self.at = kept + text, 0
        return True

    def refuse(self, what: str, at: int) -> NoReturn:
        before = self._body[: self._before + len(self.text[:at].encode())]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
        raise InvalidInput(f"the body is not JSON: {what} at line {line}, column {column}")
