"""The base classes of request and response bodies. Requests with unknown fields are refused, and values are not
converted to another type."""

from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tenuto.model.counts import Count
from tenuto.model.json import Json
from tenuto.model.statuses import ProblemCode

T = TypeVar("T")


def _as_text(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("write a time as text: 2026-01-31T12:00:00Z")
    return value


def _as_whole(value: object) -> object:
    return int(value) if type(value) is float and value.is_integer() else value


MAX_EXACT_INTEGER = 9_007_199_254_740_992  # up to here every JSON parser keeps integers exactly
WHOLE = BeforeValidator(_as_whole)  # 2.0 is an integer in JSON Schema, and so in the OpenAPI document
Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_as_text)]
Seconds = Annotated[float, Field(ge=0, le=315_360_000)] | Annotated[str, Field(min_length=1, max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
Label = Annotated[str, Field(min_length=1, max_length=256)]
EffectKey = Annotated[str, Field(min_length=1, max_length=512)]
Int = Annotated[int, Field(ge=-2_147_483_648, le=2_147_483_647), WHOLE]


class RequestModel(BaseModel):
    """A request body; rejects unknown fields and values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ResponseModel(BaseModel):
    """A response body, built from the rows that SQL functions return."""

    model_config = ConfigDict(from_attributes=True)


class Listing(ResponseModel, Generic[T]):
    """A response with several items. Its name in the OpenAPI document is that of its items and of its class, such as
    RunSummaryPage."""

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        return f"{params[0].__name__}{cls.__name__}"


class Page(Listing[T], Generic[T]):
    """One page. Pass `next` as `before` or `after` to get the next page; it is null on the last page."""

    items: list[T]
    next: str | None


class CountedPage(Page[T], Generic[T]):
    """One page; `total` is set if the request has `count=true`."""

    total: Count | None = None


class Problem(ResponseModel):
    """An error, in the format of RFC 9457. `more_errors` is the number of errors that `errors` leaves out."""

    type: str
    title: str
    status: int
    code: ProblemCode
    detail: str
    request_id: str
    hint: str | None = None
    errors: list[dict[str, str | int]] | None = None
    more_errors: int | None = None


class Items(Listing[T], Generic[T]):
    """A complete list."""

    items: list[T]


class IdResponse(ResponseModel):
    """The id of the object that was created or changed."""

    id: UUID


class ReasonRequest(RequestModel):
    reason: Annotated[str, Field(min_length=1, max_length=1024)] | None = None


class UpdateRequest(ReasonRequest):
    """`metadata`: keys to set. Each value replaces the whole value of its key, null removes the key, and other keys
    stay. `status`: only `cancelled` can be set, optionally with a `reason`; 409 if the run or task has ended."""

    # `not` and `if`, because generators of clients make a type of each member of `anyOf`, and ignore these.
    model_config = ConfigDict(
        json_schema_extra={
            "not": {"properties": {"status": {"type": "null"}, "metadata": {"type": "null"}}},
            "if": {"required": ["reason"], "properties": {"reason": {"type": "string"}}},
            "then": {"required": ["status"], "properties": {"status": {"const": "cancelled"}}},
        }
    )

    status: Literal["cancelled"] | None = None
    metadata: Annotated[dict[str, Json], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> "UpdateRequest":
        if self.status is None and self.metadata is None:
            raise ValueError("set status or metadata")
        if self.status is None and self.reason is not None:
            raise ValueError("reason is allowed only with status cancelled")
        return self


class RetryRequest(RequestModel):
    """`reuse`: completed tasks keep their outputs, unless they depend on a task that runs again. `force`: retry the run
    even if it was retried before. `from`: the name or type of tasks, or the name of a step, that run again although
    they completed."""

    reuse: bool = True
    force: bool = False
    from_: Annotated[Name | None, Field(alias="from")] = None


class SignalRequest(RequestModel):
    name: Name
    value: Json = None


class WaitForRunsRequest(RequestModel):
    """The runs to wait for, and the maximum number of seconds to wait."""

    run_ids: Annotated[list[Annotated[UUID, Field(strict=False)]], Field(min_length=1, max_length=1000)]
    wait: Annotated[float, Field(ge=0, le=60)] = 0


class PutDataRequest(RequestModel):
    """`metadata` is stored with each of the values."""

    values: Annotated[dict[Name, Json], Field(min_length=1, max_length=1000)]
    tags: Annotated[list[Label], Field(max_length=64)] | None = None
    metadata: dict[str, Json] | None = None


class EditTagsRequest(RequestModel):
    add: Annotated[list[Label], Field(max_length=64)] | None = None
    remove: Annotated[list[Label], Field(max_length=64)] | None = None
