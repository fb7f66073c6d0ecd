"""Checks the inputs of start requests against the JSON Schemas that workers declared for their types."""

import json
from collections.abc import Mapping, Sequence

from tenuto.model.errors import InvalidInput
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.values.input_validator import InputValidator, StepBudget


def check_inputs(starts: Sequence[StartRequest], validators: Mapping[str, InputValidator], budget: StepBudget) -> None:
    """Raises InvalidInput for the first input that does not match, and names its start if there are several. Raises
    StepsExhausted when the budget ends."""
    for no, start in enumerate(starts):
        for position, text in enumerate(start.inputs):
            type = str(start.kinds[start.task_kinds[position] if start.task_kinds else 0]["type"])
            if type not in validators:
                continue
            try:
                validators[type].check(json.loads(text), budget)
            except InvalidInput as problem:
                if len(starts) == 1:
                    raise
                raise InvalidInput(f"the start at index {no}: {problem.message}", problem.hint) from problem
