"""The type of JSON values."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
else:
    # Pydantic does not check the value again, because it was checked when the body was read.
    Json = Any

# The type of a JSON object that json.loads returns.
JsonObject = dict[str, Json]
