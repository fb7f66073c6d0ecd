"""The base classes of request and response bodies. Requests refuse unknown fields, and convert no types."""

from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

T = TypeVar("T")


def _as_text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("write a time as text: 2026-01-31T12:00:00Z")
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
    """Rejects unknown fields and values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ResponseModel(BaseModel):
    """Built from the rows that SQL functions return."""

    model_config = ConfigDict(from_attributes=True)


class Page(ResponseModel, Generic[T]):
    """One page; pass `next` as `before` or `after` to get the next one."""

    items: list[T]
    next: str | None


class Problem(ResponseModel):
    """An error, in the format of RFC 9457."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    hint: str | None = None
    errors: list[dict[str, str]] | None = None


class Items(ResponseModel, Generic[T]):
    """A complete list."""

    items: list[T]


class IdResponse(ResponseModel):
    """The id of what was created or changed."""

    id: UUID


class ReasonRequest(RequestModel):
    reason: Annotated[str, Field(min_length=1, max_length=1024)] | None = None


class CancelRequest(ReasonRequest):
    """The only status that can be set. A final run or task stays as it is."""

    status: Literal["cancelled"]


class RetryRequest(RequestModel):
    """`reuse`: completed tasks keep their outputs."""

    reuse: bool = True


class SignalRequest(RequestModel):
    name: Name
    value: Any = None


class WaitForRunsRequest(RequestModel):
    """The runs to wait for, and for how many seconds at most."""

    run_ids: Annotated[list[Annotated[UUID, Field(strict=False)]], Field(min_length=1, max_length=1000)]
    wait: Annotated[float, Field(ge=0, le=60)] = 0


class PutDataRequest(RequestModel):
    values: Annotated[dict[Name, Any], Field(min_length=1, max_length=1000)]
    tags: Annotated[list[Label], Field(max_length=64)] | None = None


class EditTagsRequest(RequestModel):
    add: Annotated[list[Label], Field(max_length=64)] | None = None
    remove: Annotated[list[Label], Field(max_length=64)] | None = None
