"""The type of JSON values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
else:
    # pydantic takes such a value as it is: it was checked when it was read, and its schema is any value.
    Json = Any

# What json.loads returns for an object.
JsonObject = dict[str, Json]
