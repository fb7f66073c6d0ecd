"""Values as pickles, for tasks with serializer="pickle": `{"$pickle": "<base64>"}` in JSON."""

import base64
import pickle
from typing import Any, cast

from tenuto.model.json import Json
from tenuto.sdk.arguments import Arguments
from tenuto.sdk.values.codecs import WrongValue
from tenuto.sdk.values.wire_format import fill_slots, load


def dump_value(what: str, value: object) -> dict[str, str]:
    """Return the JSON form of a value that can be pickled."""
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


def thaw_arguments(what: str, input: str | None, slots: str | None) -> Arguments:
    """Return the arguments of a task with serializer="pickle"; some may come from other tasks."""
    given: list[Json] = load(slots) if slots else []
    value: Json = load(input) if input else None
    arguments = load_value(what, given or None if value is None else fill_slots(value, given))
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
