"""The request bodies of pools: a policy, and machines that are requested by hand."""

from typing import Annotated

from pydantic import Field

from tenuto.model.json import JsonObject
from tenuto.server.schemas.base import WHOLE, RequestModel, ResponseModel

Workers = Annotated[int, Field(ge=0, le=10_000), WHOLE]
Timeout = Annotated[float, Field(ge=0, le=315_360_000)]
Multiplier = Annotated[float, Field(ge=0.001, le=1000)]
Name = Annotated[str, Field(min_length=1, max_length=256)]
Names = Annotated[list[Name], Field(max_length=256)]


class SetPoolRequest(RequestModel):
    """The fields of a pool's policy to set; the others keep their values. `provider`: the name of a provider in the
    configuration of the dispatchers. `queues`, `types`: null means all. `settings`: the settings for the provider.
    `tiers`: a list of settings, which are tried one after the other when the provider has no capacity."""

    provider: Name | None = None
    min_workers: Workers | None = None
    max_workers: Workers | None = None
    spare_workers: Workers | None = None
    tasks_per_worker: Annotated[int, Field(ge=1, le=10_000), WHOLE] | None = None
    queues: Names | None = None
    types: Names | None = None
    labels: Names | None = None
    scale_up_multiplier: Multiplier | None = None
    scale_down_multiplier: Multiplier | None = None
    idle_timeout_seconds: Timeout | None = None
    over_capacity_timeout_seconds: Timeout | None = None
    scale_down_grace_seconds: Timeout | None = None
    starting_grace_seconds: Timeout | None = None
    spawn_timeout_seconds: Annotated[float, Field(ge=1, le=315_360_000)] | None = None
    max_failure_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    failure_window_seconds: Annotated[float, Field(ge=1, le=315_360_000)] | None = None
    min_spawns_for_rate: Annotated[int, Field(ge=1, le=10_000), WHOLE] | None = None
    settings: JsonObject | None = None
    tiers: Annotated[list[JsonObject], Field(max_length=100)] | None = None
    paused: bool | None = None


class RequestMachinesRequest(RequestModel):
    """How many machines to start in addition to those that the policy starts. The pool never has more than
    `max_workers`."""

    count: Annotated[int, Field(ge=1, le=1000), WHOLE] = 1


class RequestedMachines(ResponseModel):
    """How many machines were requested by hand and have not been started yet."""

    requested: int
