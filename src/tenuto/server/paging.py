"""Lists in pages: each goes on where the one before ended, whatever came or went in between."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Limit = Annotated[int, Field(ge=1, le=200)]


class Filter(BaseModel):
    """The parameters of a list; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid")

    limit: Limit = 50


def page(found: Sequence[Any], asked: Filter, cursor: str) -> dict[str, Any]:
    """What was found, and where to go on: after the `cursor` of the last, if the page is full."""
    full = len(found) == asked.limit
    return {"items": found, "next": str(getattr(found[-1], cursor)) if full else None}
