"""The type of JSON values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
else:
    # For pydantic, the value is any value, and it is not checked again: it was checked when the body was read.
    Json = Any

# The type of a JSON object that json.loads returns.
JsonObject = dict[str, Json]
