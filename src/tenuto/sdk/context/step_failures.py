"""Converts failures of steps to JSON and back, so that a replay raises the error that the step raised."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn, cast

from tenuto.model.errors import Cancelled, StaleLease
from tenuto.model.json import Json, JsonObject
from tenuto.model.text import clean, redact_json
from tenuto.sdk.context.control import Fail
from tenuto.sdk.values.codecs import check_json
from tenuto.sdk.values.wire_format import NotSerializable, dump

MAX_DETAIL_CHARACTERS = 100_000  # of the arguments and attributes of an error as JSON; larger ones are not kept
MAX_MESSAGE_CHARACTERS = 10_000
MAX_MISSING = 100  # how many names of attributes without a JSON form are kept

NEVER_RECORDED = (StaleLease, Cancelled)  # the attempt has ended, so nothing can be recorded


class StepFailed(Exception):
    """A step failed on an earlier attempt, and its error cannot be raised again: its class is not imported here or
    cannot be created. `step`, `type` and `message` describe it."""

    def __init__(self, step: str, type: str, message: str) -> None:
        super().__init__(f"step {step!r} failed with {type}: {message}")
        self.step = step
        self.type = type
        self.message = message


class NotRecorded:
    """Replaces an attribute of a recorded error, because the attribute has no JSON form. Any use of it fails the task,
    because without the value the code could take another path than on the attempt that recorded the error."""

    def __init__(self, step: str, error: str, attribute: str) -> None:
        vars(self)["what"] = f"{attribute!r} of the {error} that step {step!r} raised on an earlier attempt"

    def _fail(self, *_: object) -> NoReturn:
        raise Fail(
            f"{vars(self)['what']} is not recorded, because it has no JSON form; read it inside the step, and let the "
            "step raise an error whose attributes are JSON values"
        )

    def __repr__(self) -> str:
        return f"<{vars(self)['what']}: not recorded>"

    __getattr__ = __getitem__ = __call__ = __iter__ = __len__ = __bool__ = __int__ = __float__ = _fail
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __hash__ = __str__ = _fail


def is_recorded(error: BaseException) -> bool:
    """Whether the failure of a step is recorded if the code handles it."""
    return isinstance(error, Exception | asyncio.CancelledError) and not isinstance(error, NEVER_RECORDED)


def failure_of(error: BaseException) -> JsonObject:
    """Return the JSON form of an error: its class, message, arguments and attributes, as far as JSON represents
    them."""
    kind = type(error)
    failure: JsonObject = {
        "type": kind.__qualname__,
        "module": kind.__module__,
        "message": clean(_message(error))[:MAX_MESSAGE_CHARACTERS],
    }
    args = cast("list[Json]", list(_arguments(error)))
    if all(map(_is_storable, args)) and _is_storable(args):
        failure["args"] = args
    attributes: JsonObject = {name: value for name, value in vars(error).items() if _is_storable(value)}
    if attributes and not _is_storable(attributes):
        attributes = {}
    if attributes:
        failure["attributes"] = attributes
    if missing := [name for name in vars(error) if name not in attributes][:MAX_MISSING]:
        failure["missing"] = cast("list[Json]", missing)
    return cast("JsonObject", redact_json(failure))


def error_of(step: str, failure: JsonObject) -> BaseException:
    """Return the error of a recorded failure, or StepFailed if it cannot be created."""
    module, name, message = (str(failure.get(key, "")) for key in ("module", "type", "message"))
    kind = _find_class(module, name)
    if kind is not None:
        args = cast("list[object]", failure.get("args", [message]))
        for make in (_make_without_init, _make):
            with suppress(Exception):  # the code of the class is user code
                error = make(kind, args)
                vars(error).update(cast("JsonObject", failure.get("attributes", {})))
                missing = cast("list[str]", failure.get("missing", []))
                vars(error).update({attribute: NotRecorded(step, name, attribute) for attribute in missing})
                if type(error) is kind and clean(str(error))[:MAX_MESSAGE_CHARACTERS] == message:
                    return error
    return StepFailed(step, f"{module}.{name}".strip("."), message)


def _make_without_init(kind: type[BaseException], args: Sequence[object]) -> BaseException:
    """Create the error as unpickling does, without its __init__, whose parameters may differ from `args`."""
    return kind.__new__(kind, *args)


def _make(kind: type[BaseException], args: Sequence[object]) -> BaseException:
    return kind(*args)


def _find_class(module: str, name: str) -> type[BaseException] | None:
    """Find the class of an error in the modules that this process has imported. Imports none, because the record may
    come from another machine. Code that catches the error has imported its module."""
    found: object = sys.modules.get(module)
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except Exception:  # the module may have no such class, or raise
        return None
    return found if isinstance(found, type) and issubclass(found, Exception | asyncio.CancelledError) else None


def _arguments(error: BaseException) -> tuple[object, ...]:
    """Return the arguments that create the error. For an OSError, these include its file names, which `args` does not
    contain."""
    with suppress(Exception):  # the class may have its own __reduce__
        made, args, *_ = error.__reduce__()
        if made is type(error):
            return cast("tuple[object, ...]", args)
    return error.args


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # __str__ is user code
        return f"a {type(error).__name__} whose message cannot be read"


def _is_storable(value: object) -> bool:
    try:
        check_json(value, "")
        return len(dump(value)) <= MAX_DETAIL_CHARACTERS
    except (NotSerializable, TypeError):
        return False
