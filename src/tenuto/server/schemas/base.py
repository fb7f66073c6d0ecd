"""What requests say: unknown fields are refused, and nothing is turned into another type to make it fit."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field


def _as_text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("write a moment as text: 2026-01-31T12:00:00Z")
    return value


def _as_whole(value: Any) -> Any:
    return int(value) if type(value) is float and value.is_integer() else value


MAX_EXACT_INTEGER = 9_007_199_254_740_992  # what every JSON reader keeps exactly
WHOLE = BeforeValidator(_as_whole)  # 2.0 is an integer to JSON, and to our description
Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_as_text)]
Seconds = Annotated[float, Field(ge=0, le=315_360_000)] | Annotated[str, Field(min_length=1, max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
Label = Annotated[str, Field(min_length=1, max_length=256)]
Int = Annotated[int, Field(ge=-2_147_483_648, le=2_147_483_647), WHOLE]


class RequestModel(BaseModel):
    """Strict."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Reason(RequestModel):
    reason: Annotated[str, Field(min_length=1, max_length=1024)] | None = None


class CancelRequest(Reason):
    """The one change of state that may be asked for: what has ended stays as it ended."""

    status: Literal["cancelled"]


class RetryRequest(RequestModel):
    """`reuse`: completed tasks keep their outputs."""

    reuse: bool = True


class SignalRequest(RequestModel):
    name: Name
    value: Any = None


class WaitFor(RequestModel):
    """The runs that somebody waits for, and how many seconds at most."""

    run_ids: Annotated[list[Annotated[UUID, Field(strict=False)]], Field(min_length=1, max_length=1000)]
    wait: Annotated[float, Field(ge=0, le=60)] = 0


class PutData(RequestModel):
    values: Annotated[dict[Name, Any], Field(min_length=1, max_length=1000)]
    tags: Annotated[list[Label], Field(max_length=64)] | None = None


class EditTags(RequestModel):
    add: Annotated[list[Label], Field(max_length=64)] | None = None
    remove: Annotated[list[Label], Field(max_length=64)] | None = None


class NewKey(RequestModel):
    """A new API key; one without `expires_at` is good until it is revoked."""

    name: Name
    permissions: Annotated[list[str], Field(min_length=1, max_length=64)]
    expires_at: Moment | None = None


class Rotation(RequestModel):
    """How long the old key stays good beside the new one."""

    overlap_seconds: Annotated[float, Field(ge=0, le=7_776_000)] = 86_400


class NewGroup(RequestModel):
    """What a resource group may use: its weight among others, and the most tasks it may have running."""

    weight: Annotated[int, Field(ge=1, le=1000), WHOLE] | None = None
    quota: Annotated[int, Field(ge=0, le=2_147_483_647), WHOLE] | None = None
