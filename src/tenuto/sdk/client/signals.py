"""Sends signals, after a check that a task which waits for the signal can use its value."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from tenuto.db import monitoring, steps
from tenuto.db.connection.call import Conn
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.run_data import AwaitedSignal
from tenuto.sdk.values.input_validator import StepBudget, StepsExhausted, check_value

# Of the check of one value, which takes a few milliseconds: what is larger is checked by the tasks alone.
MAX_STEPS, MAX_SCHEMAS = 2000, 10


async def send_signal(conn: Conn, *, org_id: UUID, run_id: UUID, name: str, value: Json) -> UUID:
    """Send a signal and return its id. Raises InvalidInput if tasks wait for it, and none of them accepts the value."""
    check_signal(await monitoring.list_awaited_signals(conn, org_id=org_id, run_id=run_id), name, value)
    return await steps.send_signal(conn, org_id=org_id, run_id=run_id, name=name, value=value)


def check_signal(awaited: Sequence[AwaitedSignal], name: str, value: Json) -> None:
    """Raises InvalidInput if tasks wait for the signal, and none of them accepts the value."""
    expected: list[AwaitedSignal] = []  # one for each schema
    for signal in awaited:
        if signal.name == name and all(signal.schema != other.schema for other in expected):
            expected.append(signal)
    refused: InvalidInput | None = None
    budget = StepBudget(MAX_STEPS)
    for signal in expected if len(expected) <= MAX_SCHEMAS else ():
        try:
            with suppress(StepsExhausted):
                check_value(f"signal {name}", signal.schema or {}, value, budget)
            return
        except InvalidInput as problem:
            refused = InvalidInput(problem.message, f"the task waits for {signal.expects}")
    if refused is not None:
        raise refused
