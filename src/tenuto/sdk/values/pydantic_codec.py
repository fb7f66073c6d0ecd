"""Converts typed values (dataclasses, models, datetimes, Decimals, bytes …) to and from JSON with pydantic."""

import json
import types
from typing import Any, Union, cast, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, ValidationError

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.sdk.values.codecs import check_json, show, unfit
from tenuto.sdk.values.wire_format import Codec, NotSerializable, dump

BYTES = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


def typed_codec(hint: object) -> Codec:
    """Return a codec for any type that pydantic supports. Raises InvalidInput for other types."""
    try:
        # Wrapped in a tuple, because a dataclass on its own would ignore the configuration.
        adapter: TypeAdapter[tuple[Any]] = TypeAdapter(cast("Any", types.GenericAlias(tuple, (hint,))), config=BYTES)
    except (PydanticUserError, TypeError) as error:
        reason = str(error).split(". ")[0].splitlines()[0]
        raise InvalidInput(
            f"values of {show(hint)} cannot be converted to JSON ({reason})",
            'use a dataclass, a pydantic model or plain types, or serializer="pickle"',
        ) from error
    typed = _Typed(hint, adapter)
    return Codec(hint, typed.encode_sure if _has_union(hint) else typed.encode, typed.decode)


class _Typed:
    """Converts values of one hint with one adapter."""

    def __init__(self, hint: object, adapter: TypeAdapter[tuple[Any]]) -> None:
        self._hint, self._adapter = hint, adapter

    def decode(self, value: Json, path: str) -> Any:
        try:
            return self._adapter.validate_json(json.dumps([value]))[0]
        except ValidationError as error:
            raise _unfit(error, path, self._hint) from error

    def encode(self, value: object, path: str) -> Json:
        try:
            checked = self._adapter.validate_python((value,), strict=True)
            (encoded,) = self._adapter.dump_python(checked, mode="json", warnings="error")
        except ValidationError as error:
            raise _unfit(error, path, self._hint) from error
        except (PydanticSerializationError, ValueError) as error:
            raise NotSerializable(
                path, f"{value!r:.60} cannot be converted to JSON as {show(self._hint)}: {_first(error)}"
            ) from error
        check_json(encoded, path, objects=True)
        return encoded

    def encode_sure(self, value: object, path: str) -> Json:
        """Encode a value of a union. Raises NotSerializable if it would be decoded as another member."""
        encoded = self.encode(value, path)
        dump(encoded)  # raises the clearer error if the value is not JSON at all
        back = self.decode(encoded, path)
        if back != value and (type(back) is not type(value) or self.encode(back, path) != encoded):
            raise NotSerializable(
                path,
                f"{value!r:.60} would come back as {back!r:.60}: in JSON the members of {show(self._hint)} look the "
                "same; add a field that distinguishes them, or use one type",
            )
        return encoded


def _has_union(hint: object) -> bool:
    """Whether the hint contains a union of several types other than None. In JSON, their values could look the same."""
    members = [member for member in get_args(hint) if member is not type(None)]
    if get_origin(hint) in (Union, types.UnionType) and len(members) > 1:
        return True
    return any(_has_union(member) for member in members)


def _unfit(error: ValidationError, path: str, hint: object) -> NotSerializable:
    first = error.errors(include_url=False)[0]
    inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"][1:])
    message = first["msg"][:1].lower() + first["msg"][1:]
    return unfit(first["input"], f"{path}{inside}", hint, f": {message}")


def _first(error: Exception) -> str:
    if "invalid utf-8" in str(error):  # a model keeps its own configuration, and pydantic's default for bytes is text
        return "its bytes are not UTF-8; write model_config = {'ser_json_bytes': 'base64', 'val_json_bytes': 'base64'}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200]
