"""The interface of a database: its public functions. Checks whether code works with the functions of another version.

Code works with a database if every function that it may call exists, accepts the parameters that the code passes and
returns the columns that it reads. So a version may add functions, parameters with defaults, and columns at the end. It
may not remove a function that the previous version calls. Such a function is marked as deprecated in one version and
removed in the next.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

HEAD = re.compile(
    r"create or replace (?:function|procedure) tenuto\.([a-z]\w*)\((.*?)\)\s*(?:returns\s+(.*?)\s+)?language\s",
    re.DOTALL,
)
LITERAL_OR_COMMENT = re.compile(r"'(?:[^']|'')*'|--[^\n]*")
SHAPE = re.compile(r"\bcreate (?:unlogged )?(table|type) tenuto\.(\w+) (?:as )?\(")
CHANGE = re.compile(r"\balter (?:table|type) tenuto\.(\w+)\s(.*?);", re.DOTALL)
ADDS = re.compile(r"add (?:column|attribute) (.*)")
CHANGES_COLUMN = re.compile(r"(?:alter|drop|rename) (?:column|attribute) (\w+)|rename to")
NO_COLUMN = ("constraint ", "primary key ", "unique ", "check ", "foreign key ")
TYPES = re.compile(r"\btenuto\.(\w+)")
ROWS = re.compile(r"table \((.*)\)")
DEPRECATED = "deprecated"  # the first word of the comment of a function that this version no longer calls


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function; optional if it has a default."""

    name: str
    type: str
    optional: bool


@dataclass(frozen=True)
class Function:
    """The parameters and the result of a function."""

    parameters: tuple[Parameter, ...]
    result: str
    deprecated: bool = False


@dataclass(frozen=True)
class Interface:
    """The public functions by name, and the columns of the types and tables in their parameters and results."""

    functions: Mapping[str, Function]
    types: Mapping[str, tuple[str, ...]]  # the first entry is `type` or `table`, the others are columns

    @cached_property
    def digest(self) -> str:
        return sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        functions = {name: asdict(function) for name, function in sorted(self.functions.items())}
        return json.dumps({"functions": functions, "types": dict(sorted(self.types.items()))})

    def missing_in(self, other: "Interface") -> list[str]:
        """Return the reasons why code that calls this interface does not work with a database that has the interface
        `other`; empty if it works."""
        return [
            *(
                f"{name} {problem}"
                for name, function in sorted(self.functions.items())
                if not function.deprecated
                for problem in _problems(function, other.functions.get(name))
            ),
            *(f"type {name} changed" for name in sorted(self.types) if not self._type_fits(name, other)),
        ]

    def _type_fits(self, name: str, other: "Interface") -> bool:
        """Returns whether code that was written for a type or table of this interface can read the one with the same
        name in the other interface. Types are read by position, so they must be equal. Rows of tables are read by name,
        so the table of the other interface may have more columns at its end."""
        mine, theirs = self.types[name], other.types.get(name, ())
        return mine == theirs or (mine[0] == "table" and mine == theirs[: len(mine)])


def read_interface(objects: Mapping[str, str], migrations: Sequence[str]) -> Interface:
    """Return the interface of SQL files. `objects`: the text of each function. `migrations`: the text of the baseline
    and of each later migration."""
    functions = {
        name: Function(tuple(_parameters(parameters)), _one_line(result or ""), _is_deprecated(text))
        for text in objects.values()
        for name, parameters, result in HEAD.findall(text)
    }
    texts = [" ".join((item.result, *(p.type for p in item.parameters))) for item in functions.values()]
    used = {name for text in texts for name in TYPES.findall(text)}
    return Interface(functions, {name: shape for name, shape in _shapes(migrations).items() if name in used})


def _shapes(migrations: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the types and tables after all migrations: `type` or `table`, then the columns."""
    shapes: dict[str, list[str]] = {}
    for text in (LITERAL_OR_COMMENT.sub("", migration) for migration in migrations):
        for found in SHAPE.finditer(text):
            columns = (part for part in _parts(text[found.end() :]) if not part.startswith(NO_COLUMN))
            shapes[found[2]] = [found[1], *columns]
        for name, change in CHANGE.findall(text):
            for action in _parts(change) if name in shapes else ():
                _change_shape(shapes[name], action)
    return {name: tuple(shape) for name, shape in shapes.items()}


def _change_shape(shape: list[str], action: str) -> None:
    """Apply one action of `alter table` or `alter type`. A column that is changed in another way than by adding it gets
    the action as its text, so that its type counts as another one."""
    if added := ADDS.match(action):
        shape.append(added[1])
    elif changed := CHANGES_COLUMN.match(action):
        place = next((no for no, column in enumerate(shape) if no and column.split()[0] == changed[1]), 0)
        shape[place] = action


def parse_interface(text: str) -> Interface:
    """Return the interface that `to_json` wrote."""
    stored = json.loads(text)
    functions = {
        name: Function(tuple(_parameter(item) for item in one["parameters"]), one["result"], one["deprecated"])
        for name, one in stored["functions"].items()
    }
    return Interface(functions, {name: tuple(columns) for name, columns in stored["types"].items()})


def _parameter(stored: Mapping[str, Any]) -> Parameter:
    return Parameter(stored["name"], stored["type"], optional=stored["optional"])


def _problems(mine: Function, theirs: Function | None) -> Iterator[str]:
    if theirs is None:
        yield "is missing"
        return
    count = len(mine.parameters)
    taken = [(parameter.name, parameter.type) for parameter in theirs.parameters[:count]]
    if taken != [(parameter.name, parameter.type) for parameter in mine.parameters] or any(
        known.optional and not parameter.optional
        for known, parameter in zip(mine.parameters, theirs.parameters, strict=False)
    ):
        yield "takes other parameters"
    elif not all(parameter.optional for parameter in theirs.parameters[count:]):
        yield "needs another parameter"
    if not _returns(mine.result, theirs.result):
        yield "returns something else"


def _returns(mine: str, theirs: str) -> bool:
    old, new = ROWS.fullmatch(mine), ROWS.fullmatch(theirs)
    if old is None or new is None:
        return mine == theirs
    columns = _parts(old[1])
    return columns == _parts(new[1])[: len(columns)]


def _parameters(text: str) -> Iterator[Parameter]:
    for part in _parts(text):
        name, _, rest = part.partition(" ")
        type, default, _ = rest.partition(" default ")
        yield Parameter(name, type, optional=bool(default))


def _parts(text: str) -> list[str]:
    """Split at commas that are not inside parentheses, up to a parenthesis that closes more than was opened."""
    parts: list[str] = []
    depth, part = 0, ""
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [_one_line(part) for part in (*parts, part) if part.strip()]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _is_deprecated(text: str) -> bool:
    return text.lstrip("- \n").lower().startswith(DEPRECATED)
