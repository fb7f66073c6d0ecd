"""Handles the arguments of a task: binds them to the function's signature, checks them against its type hints, and
converts them to JSON and back."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeVar, cast

from tenuto.model.json import Json, JsonObject
from tenuto.sdk.options import START_OPTIONS
from tenuto.sdk.suggestions import meant, nearest
from tenuto.sdk.values.codecs import codec_of, hints_of, show
from tenuto.sdk.values.wire_format import (
    MISSING,
    Codec,
    NotSerializable,
    WrongValue,
    check_size,
    dump,
    fill_slots,
    load,
    refuse,
)

T = TypeVar("T")

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STARS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_PLAIN = (int, str, bool, float, type(None))
Arguments = tuple[list[object], dict[str, object]]


class Signature:
    """The parameters of a task's function after `ctx`. Created on first use, because type hints may name classes that
    are defined later in the module."""

    def __init__(self, what: str, function: Callable[..., object], *, context: bool) -> None:
        self.what = what
        every = list(inspect.signature(function).parameters.values())
        parameters = every[1:] if context else every
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self._signature = inspect.Signature(parameters)
        hints = hints_of(function, what, leave_out=[every[0].name] if context else ())
        self.hints = {name: hints.get(name, MISSING) for name in self.parameters}
        self.positional = [param.name for param in parameters if param.kind in _POSITIONAL]
        self.required = [
            param.name for param in parameters if param.default is param.empty and param.kind in _POSITIONAL
        ]
        self._only = [param.name for param in parameters if param.kind is param.POSITIONAL_ONLY]
        self._rest = next((param.name for param in parameters if param.kind is param.VAR_POSITIONAL), None)
        self._named_rest = next((param.name for param in parameters if param.kind is param.VAR_KEYWORD), None)
        by_name = [param for param in parameters if param.kind in (param.POSITIONAL_OR_KEYWORD, param.KEYWORD_ONLY)]
        self._names = {param.name for param in by_name}
        self._needed = {param.name for param in parameters if param.default is param.empty and param.kind not in _STARS}
        self._codecs: dict[str, Codec] = {}
        self._fast = frozenset(self._plain_types())

    def __str__(self) -> str:
        parts = [
            f"{_STARS.get(parameter.kind, '')}{name}"
            + ("" if self.hints[name] is MISSING else f": {show(self.hints[name])}")
            + ("" if parameter.default is parameter.empty else f" = {parameter.default!r:.30}")
            for name, parameter in self.parameters.items()
        ]
        return f"{self.what}({', '.join(parts)})"

    def encode(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
        """Return the arguments as JSON text: a list if all are positional, an object if any are passed by name."""
        try:
            text = dump(args if not kwargs and tuple(map(type, args)) in self._fast else self.encoded(args, kwargs))
        except NotSerializable as problem:
            raise refuse(self.what, problem, f"its signature is {self}" if problem.path else None) from problem
        if len(text) > 100_000:
            check_size(f"the input of {self.what}", text)
        return text

    def encoded(
        self,
        args: tuple[object, ...],
        kwargs: Mapping[str, object],
        encode: Callable[[str, object, str], Json] | None = None,
    ) -> list[Json] | JsonObject:
        """Return the arguments as a JSON value; `encode(parameter, value, path)` converts each argument."""
        encode = encode or self.encode_one
        bound = self.bind(args, kwargs)
        if not kwargs:
            return [encode(name, value, path) for name, path, value in self._placed(args)]
        if self._rest and bound.get(self._rest):
            raise NotSerializable("", f"*{self._rest} cannot be combined with named arguments; pass all by position")
        named = cast("dict[str, object]", bound.pop(self._named_rest, {})) if self._named_rest else {}
        encoded = {name: encode(name, value, name) for name, value in bound.items() if name != self._rest}
        return encoded | {key: encode(self._named_rest or "", value, key) for key, value in named.items()}

    def bind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments by parameter name. Raises WrongValue if they do not match the parameters."""
        if not args and self._needed <= kwargs.keys() <= self._names:
            return dict(kwargs)
        try:
            return dict(self._signature.bind(*args, **kwargs).arguments)
        except TypeError as error:
            unknown = [] if self._named_rest else sorted(kwargs.keys() - self._names)
            problem = f"there is no parameter {unknown[0]!r}" if unknown else str(error)
            if unknown and (cure := self._option_meant(unknown[0])):
                raise WrongValue(f"{self.what}: {problem} in {self}", cure) from None
            raise WrongValue(f"{self.what}: {problem}", f"its signature is {self}") from error

    def _option_meant(self, name: str) -> str | None:
        """Suggest a start option for an unknown keyword, unless a parameter of the function is similar too: the error
        shows the signature with that parameter anyway."""
        if name in START_OPTIONS or nearest(name, self._names):
            return None
        return meant(name, START_OPTIONS, "the option ")

    def encode_one(self, name: str, value: object, path: str) -> Json:
        return self.codec(name).encode(value, path)

    def decode(self, text: str | None, slots: str | None = None) -> Arguments:
        """Return the arguments from JSON text. The values of `slots` replace `{"$slot": i}`. Without input, the slots
        are the arguments."""
        if text is None:
            return self.decode_value(load(slots) if slots else [])
        value = load(text)
        if slots is not None:
            value = load(slots) if value is None else fill_slots(value, load(slots))
        elif type(value) is list and tuple(map(type, cast("list[object]", value))) in self._fast:
            return cast("list[object]", value), {}
        return self.decode_value(cast("Json", value))

    def decode_value(self, value: Json) -> Arguments:
        """Return the arguments from a JSON value."""
        args: list[Json] = []
        kwargs: JsonObject = {}
        match value:
            case None:
                pass
            case list():
                args = value
            case dict():
                kwargs = value
            case _:
                args = [value]
        self.bind([kwargs[name] for name in self._only if name in kwargs] or args, _without(kwargs, self._only))
        try:
            decoded = [self.codec(name).decode(argument, path) for name, path, argument in self._placed(args)]
            named = {name: self.codec(self._known(name)).decode(argument, name) for name, argument in kwargs.items()}
        except NotSerializable as problem:
            raise refuse(self.what, problem, f"its signature is {self}") from problem
        return [*[named.pop(name) for name in self._only if name in named], *decoded], named

    def codec(self, name: str) -> Codec:
        if name not in self._codecs:
            self._codecs[name] = codec_of(self.hints[name])
        return self._codecs[name]

    def _known(self, name: str) -> str:
        return name if name in self.parameters and name != self._named_rest else self._named_rest or name

    def _placed(self, args: Iterable[T]) -> Iterable[tuple[str, str, T]]:
        """Yield each positional argument with its parameter name and the path to use in errors."""
        for no, value in enumerate(args):
            if no < len(self.positional):
                yield self.positional[no], self.positional[no], value
            else:
                yield self._rest or "", f"{self._rest}[{no - len(self.positional)}]", value

    def _plain_types(self) -> Iterable[tuple[type, ...]]:
        """Yield the type combinations of positional arguments that need no conversion in either direction."""
        if any(
            parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY
            for parameter in self.parameters.values()
        ):
            return
        hints = [self.hints[name] for name in self.positional]
        each = [
            _PLAIN if hint is MISSING or hint is Any else tuple(kind for kind in _PLAIN if hint == kind)
            for hint in hints
        ]
        for length in range(len(self.required), len(self.positional) + 1):
            if prod(map(len, each[:length])) <= 125:
                yield from product(*each[:length])


def _without(kwargs: JsonObject, names: list[str]) -> JsonObject:
    return {name: value for name, value in kwargs.items() if name not in names} if names else kwargs
