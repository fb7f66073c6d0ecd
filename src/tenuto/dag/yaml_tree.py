"""Reads YAML into a tree that keeps the position of every value. The text may be hostile, so its size, its depth and
its values are limited.

Values have the types of JSON: plain `yes`, `on`, `012` and `2026-01-31` are texts, not a boolean, an octal number or a
date.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from tenuto.dag.problems import DagProblem, InvalidDag, Position, Problems, quoted
from tenuto.model.json import Json

MAX_YAML_BYTES = 256 * 1024
MAX_DEPTH = 32
MAX_SCALAR = 64 * 1024  # characters
MAX_INTEGER = 2**53 - 1  # JSON numbers are exact up to here in every language

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# libyaml is about ten times as fast as the Python parser; some platforms come without it.
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

START = Position(1, 1)

Scalar = None | bool | int | float | str
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class YamlNode:
    """A value with its position. `key` is the position of its key in the mapping, or its own position if it has no
    key."""

    value: "Scalar | list[YamlNode] | dict[str, YamlNode]"
    at: Position
    key: Position

    def get(self, name: str) -> "YamlNode | None":
        return self.value.get(name) if isinstance(self.value, dict) else None

    def items(self) -> "list[YamlNode]":
        """Returns the items of a list, and an empty list for any other value."""
        return self.value if isinstance(self.value, list) else []

    def text(self, name: str) -> str | None:
        """Returns the text under a key, or None if the key is missing or its value is not a text."""
        node = self.get(name)
        return node.value if node is not None and isinstance(node.value, str) else None

    def json(self) -> Json:
        match self.value:
            case dict():
                return {name: node.json() for name, node in self.value.items()}
            case list():
                return [node.json() for node in self.value]
            case _:
                return self.value


def show_path(path: Path) -> str:
    """Formats a path: `jobs[0].inputs[1].from`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def read_tree(text: str | bytes) -> YamlNode:
    """Returns the tree of the document. Raises InvalidDag if the text is not YAML, exceeds a limit, or contains
    aliases, duplicate keys or tags, which a DAG must not have."""
    events = _events(_decoded(text))
    problems = Problems()
    try:
        tree = _TreeBuilder(events, problems).document()
    except (yaml.YAMLError, UnicodeError) as error:
        raise InvalidDag([*problems.found, _syntax_problem(error)]) from error
    problems.raise_if_any()
    return tree


def _decoded(text: str | bytes) -> str:
    try:
        encoded = text if isinstance(text, bytes) else text.encode()
        if len(encoded) > MAX_YAML_BYTES:
            raise _refuse(f"the document has {len(encoded):,} bytes, more than {MAX_YAML_BYTES:,}")
        return encoded.decode("utf-8-sig")
    except UnicodeError as error:
        raise _refuse("the document is not UTF-8") from error


def _events(text: str) -> Iterator[yaml.Event]:
    return yaml.parse(text, Loader=_LOADER)  # pyright: ignore - the function has no types


def _syntax_problem(error: Exception) -> DagProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = START if mark is None else _position(mark)
    message = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    return DagProblem("", at.line, at.column, f"the document is not YAML: {message}")


def _refuse(message: str, at: Position = START, path: str = "") -> InvalidDag:
    return InvalidDag([DagProblem(path, at.line, at.column, message)])


def _position(mark: yaml.Mark) -> Position:
    return Position(mark.line + 1, mark.column + 1)


class _TreeBuilder:
    """Builds the tree from the events of the parser. It reads one event at a time, and stops where the document becomes
    too deep."""

    def __init__(self, events: Iterator[yaml.Event], problems: Problems) -> None:
        self._events = events
        self._problems = problems

    def document(self) -> YamlNode:
        next(self._events)  # the stream starts
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise _refuse("the document is empty", path="")
        tree = self._node(next(self._events), (), None)
        next(self._events)  # the document ends
        following = next(self._events)
        if not isinstance(following, yaml.StreamEndEvent):
            self._problems.add(_position(following.start_mark), "", "a second document starts here", "write one DAG")
        return tree

    def _node(self, event: yaml.Event, path: Path, key: Position | None) -> YamlNode:
        at = _position(event.start_mark)
        if len(path) > MAX_DEPTH:
            raise _refuse(f"the document is nested more than {MAX_DEPTH} levels deep", at, show_path(path[:4]))
        if isinstance(event, yaml.AliasEvent):
            self._problems.add(at, show_path(path), f"*{event.anchor} is an alias", "write the value itself")
            return YamlNode(None, at, key or at)
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            self._problems.add(at, show_path(path), f"&{event.anchor} is an anchor", "remove it: there are no aliases")
        if getattr(event, "tag", None):
            self._problems.add(at, show_path(path), f"{quoted(getattr(event, 'tag', ''))} is a tag", "remove it")
        if isinstance(event, yaml.MappingStartEvent):
            return YamlNode(self._mapping(path), at, key or at)
        if isinstance(event, yaml.SequenceStartEvent):
            return YamlNode(self._sequence(path), at, key or at)
        assert isinstance(event, yaml.ScalarEvent)  # noqa: S101 - the parser knows no other kind of node
        return YamlNode(self._scalar(event, at, path), at, key or at)

    def _sequence(self, path: Path) -> list[YamlNode]:
        items: list[YamlNode] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, (*path, len(items)), None))
        return items

    def _mapping(self, path: Path) -> dict[str, YamlNode]:
        entries: dict[str, YamlNode] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            at = _position(event.start_mark)
            name = self._key(event, at, path)
            node = self._node(next(self._events), (*path, name), at)
            if name in entries:
                first = entries[name].key.line
                self._problems.add(at, show_path((*path, name)), f"the key is already set in line {first}")
            entries.setdefault(name, node)
        return entries

    def _key(self, event: yaml.Event, at: Position, path: Path) -> str:
        node = self._node(event, (*path, "?"), None)
        if isinstance(event, yaml.ScalarEvent):
            if event.value == "<<":
                self._problems.add(at, show_path(path), "<< merges mappings", "write the keys themselves")
            if len(event.value) <= 200:
                return event.value
        self._problems.add(
            at, show_path(path), f"{quoted(node.json())} is not a valid key", "write a text of ≤ 200 characters"
        )
        return "?"

    def _scalar(self, event: yaml.ScalarEvent, at: Position, path: Path) -> Scalar:
        text = event.value
        if len(text) > MAX_SCALAR:
            self._problems.add(at, show_path(path), f"the text has {len(text):,} characters, more than {MAX_SCALAR:,}")
            return None
        if _CONTROL.search(text):
            self._problems.add(at, show_path(path), "the text contains a control character")
            return None
        if event.style is not None and event.style != "":
            return text
        return self._plain(text, at, path)

    def _plain(self, text: str, at: Position, path: Path) -> Scalar:
        if text in _WORDS:
            return _WORDS[text]
        if len(text) > 40 or not _FLOAT.fullmatch(text):
            return text
        number = int(text) if _INTEGER.fullmatch(text) else float(text)
        if abs(number) > MAX_INTEGER and (isinstance(number, int) or number in (float("inf"), float("-inf"))):
            self._problems.add(at, show_path(path), f"{text} is too large a number", "write it in quotes")
            return None
        return number
