"""What requests say: unknown fields are refused, and nothing is turned into another type to make it fit."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field


def _as_text(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("write a moment as text: 2026-01-31T12:00:00Z")
    return value


Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_as_text)]
Seconds = Annotated[float, Field(ge=0, le=315_360_000)] | Annotated[str, Field(min_length=1, max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
Label = Annotated[str, Field(min_length=1, max_length=256)]
Int = Annotated[int, Field(ge=-2_147_483_648, le=2_147_483_647)]


class Body(BaseModel):
    """Strict."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Start(Body):
    """One start of a task: its type, its arguments by name or in order, and what is said of this start."""

    type: Name
    input: dict[str, Any] | list[Any] = Field(default_factory=dict)
    language: Name | None = None
    delay: Seconds | None = None
    available_at: Moment | None = None
    priority: Int | None = None
    dedupe_key: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    queue: Name | None = None
    resource_group: Name | None = None
    labels: Annotated[list[Label], Field(max_length=64)] | None = None
    metadata: dict[str, Any] | None = None
    timeout: Seconds | None = None
    heartbeat_timeout: Seconds | None = None
    max_attempts: Annotated[int, Field(ge=1, le=100)] | None = None
    max_losses: Annotated[int, Field(ge=1, le=1000)] | None = None
    run_attempts: Annotated[int, Field(ge=1, le=100)] | None = None
    name: Name | None = None
    external_id: Name | None = None
    optional: bool | None = None


class Reason(Body):
    reason: Annotated[str, Field(min_length=1, max_length=1024)] | None = None


class Stop(Reason):
    """The one change of state that may be asked for: what has ended stays as it ended."""

    status: Literal["cancelled"]


class Retry(Body):
    """`reuse`: completed tasks keep their outputs."""

    reuse: bool = True


class Signal(Body):
    name: Name
    value: Any = None


class PutData(Body):
    values: Annotated[dict[Name, Any], Field(min_length=1, max_length=1000)]
    tags: Annotated[list[Label], Field(max_length=64)] | None = None


class EditTags(Body):
    add: Annotated[list[Label], Field(max_length=64)] | None = None
    remove: Annotated[list[Label], Field(max_length=64)] | None = None


class NewKey(Body):
    """A new API key; one without `expires_at` is good until it is revoked."""

    name: Name
    permissions: Annotated[list[str], Field(min_length=1, max_length=64)]
    expires_at: Moment | None = None


class Rotation(Body):
    """How long the old key stays good beside the new one."""

    overlap_seconds: Annotated[float, Field(ge=0, le=7_776_000)] = 86_400


class NewGroup(Body):
    """What a resource group may use: its weight among others, and the most tasks it may have running."""

    weight: Annotated[int, Field(ge=1, le=1000)] | None = None
    quota: Annotated[int, Field(ge=0, le=2_147_483_647)] | None = None
