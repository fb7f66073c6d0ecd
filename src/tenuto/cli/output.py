"""What a command says: lines for people, one JSON object for programs."""

import dataclasses
import json
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def show(facts: Any, text: str, *, as_json: bool) -> None:
    """Print a dataclass or mapping as JSON, or the text that says the same."""
    if as_json:
        facts = dataclasses.asdict(facts) if dataclasses.is_dataclass(facts) and not isinstance(facts, type) else facts
        text = json.dumps(facts, default=str)
    typer.echo(text)
