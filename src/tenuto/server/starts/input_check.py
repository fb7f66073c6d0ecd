"""Checks the inputs of starts against the JSON Schemas that workers declared, before anything is stored.

References may form a loop and unions may be large, so the steps of a check are counted, and all inputs of one request
share a budget. When it is used up, the rest is left to the worker, which checks every input. A check of few steps runs
on the event loop; a longer one runs in a thread, one per org at a time.
"""

import time
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from tenuto.db import task_types
from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.input_checks import check_inputs
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.values.input_validator import InputValidator, StepBudget, StepsExhausted
from tenuto.server.http.request import count_values
from tenuto.server.requests.api import ApiRequest

KEEP_SECONDS = 5.0  # a schema is read again after this time
MAX_CACHED_TYPES = 10_000
MAX_CACHED_BYTES = 4 * 1024 * 1024  # of JSON; a parsed schema takes about ten times as much
STEPS_PER_REQUEST = 100_000
STEPS_PER_VALUE = 20  # most values take one to five
MAX_STEPS = 1_000_000  # one to four seconds
FEW_STEPS = 2000  # about a millisecond
FEW_BYTES = 32_768  # parsing the inputs of a larger body takes more than a millisecond


@dataclass(frozen=True)
class CachedType:
    """The validator of a type; None if no schema is declared. `size`: the bytes of the schema."""

    validator: InputValidator | None
    size: int
    read_at: float


class InputChecks:
    """The validators of one server process, by org and type. The least recently read are forgotten."""

    def __init__(self) -> None:
        self._types: OrderedDict[tuple[UUID, str], CachedType] = OrderedDict()
        self._bytes = 0

    async def check(self, request: ApiRequest, starts: Sequence[StartRequest], types: Collection[str]) -> None:
        """Raise InvalidInput for an input that does not match the schema of its type. Before it refuses an input, it
        reads the schema again, because a worker may have declared another schema in the meantime."""
        validators = await self._validators(request, types, fresh=False)
        if not validators:
            return
        body = await request.http.body()
        budget = StepBudget(min(STEPS_PER_REQUEST + STEPS_PER_VALUE * count_values(body), MAX_STEPS))
        with suppress(StepsExhausted):
            try:
                await _check_fairly(request, len(body), starts, validators, budget)
            except InvalidInput:
                newest = await self._validators(request, types, fresh=True)
                if newest == validators:
                    raise
                await _check_fairly(request, len(body), starts, newest, budget)

    async def _validators(
        self, request: ApiRequest, types: Collection[str], *, fresh: bool
    ) -> Mapping[str, InputValidator]:
        org_id, now = request.principal.org_id, time.monotonic()
        known = {type: self._types.get((org_id, type)) for type in types}
        old = [type for type, entry in known.items() if fresh or entry is None or entry.read_at + KEEP_SECONDS < now]
        if old:
            found = await request.call(task_types.get_input_schemas, types=old)
            declared = {schema.type: (schema.input_schema, schema.size) for schema in found}
            for type in old:
                schema, size = declared.get(type, (None, 0))
                before = known[type]
                validator = before.validator if before else None
                if schema is None or validator is None or validator.schema != schema:
                    validator = InputValidator(type, schema) if schema is not None else None
                known[type] = self._keep((org_id, type), CachedType(validator, size, now))
        return {type: entry.validator for type, entry in known.items() if entry is not None and entry.validator}

    def _keep(self, key: tuple[UUID, str], entry: CachedType) -> CachedType:
        old = self._types.pop(key, None)
        self._types[key] = entry
        self._bytes += entry.size - (old.size if old else 0)
        while self._bytes > MAX_CACHED_BYTES or len(self._types) > MAX_CACHED_TYPES:
            self._bytes -= self._types.popitem(last=False)[1].size
        return entry


async def _check_fairly(
    request: ApiRequest,
    size: int,
    starts: Sequence[StartRequest],
    validators: Mapping[str, InputValidator],
    budget: StepBudget,
) -> None:
    """Checks on the event loop if this takes few steps, else in a thread, when it is the turn of the org."""
    if size <= FEW_BYTES:
        try:
            return check_inputs(starts, validators, StepBudget(FEW_STEPS))
        except StepsExhausted:
            pass  # begin again in a thread
    org_id, threads = request.principal.org_id, request.http.server.org_threads
    return await threads.run(org_id, lambda: check_inputs(starts, validators, budget))
