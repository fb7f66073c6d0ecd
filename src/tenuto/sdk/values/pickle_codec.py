"""Encodes values as pickles, for tasks with serializer="pickle". In JSON, a pickle is `{"$pickle": "<base64>"}`."""

import base64
import pickle
from collections.abc import Mapping
from typing import Any, cast

from tenuto.model.json import Json
from tenuto.sdk.arguments import Arguments, Signature
from tenuto.sdk.values.wire_format import MISSING, WrongValue, check_size, dump, fill_slots, load


def dump_value(what: str, value: object) -> dict[str, str]:
    """Return the JSON form of a value that can be pickled. Raises WrongValue for other values."""
    try:
        return {"$pickle": base64.b64encode(pickle.dumps(value)).decode()}
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise WrongValue(f"{what}: {value!r:.60} cannot be pickled: {error}") from error


def load_value(what: str, value: Json) -> Any:
    """Return the value with all pickles inside it loaded."""
    if isinstance(value, list):
        return [load_value(what, item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() != {"$pickle"}:
        return {key: load_value(what, item) for key, item in value.items()}
    try:
        return pickle.loads(base64.b64decode(str(value["$pickle"])))  # noqa: S301 - the task chose pickle
    except Exception as error:
        raise WrongValue(f"{what}: its pickled value cannot be read: {error}") from error


class PickledSignature(Signature):
    """The parameters of a task with serializer="pickle": its arguments are one pickle, or come from other tasks."""

    def encode(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
        self.bind(args, kwargs)
        text = dump(dump_value(self.what, (list(args), dict(kwargs))))
        check_size(f"the input of {self.what}", text)
        return text

    def decode(self, text: str | None, slots: str | None = None) -> Arguments:
        given: list[Json] = load(slots) if slots else []
        value: Json = load(text) if text else None
        arguments = load_value(self.what, given or None if value is None else fill_slots(value, given))
        match arguments:
            case None:
                return [], {}
            case tuple():  # one pickle with all arguments
                return cast("Arguments", arguments)
            case list():
                return cast("list[object]", arguments), {}
            case dict():
                return [], cast("dict[str, object]", arguments)
            case _:
                return [arguments], {}


class PickledResult:
    """Encodes and decodes the return value of a task with serializer="pickle"."""

    hint = MISSING

    def __init__(self, what: str) -> None:
        self._what = what

    def encode(self, value: object) -> str | None:
        """Return the value as JSON text, or None for None."""
        return None if value is None else dump(dump_value(self._what, value))

    def decode(self, value: Json) -> Any:
        """Return the Python result for its JSON value."""
        return load_value(self._what, value)
