"""What the tasks of the journeys do to the world: effects that tests can count, gates that tests open."""

import asyncio
import os
import time
from pathlib import Path

FOLDER = Path(os.environ.get("JOURNEY_FOLDER", "."))


def effect(name: str) -> None:
    """One line, written at once: appending so little is atomic, and it survives whatever is killed next."""
    file = os.open(FOLDER / "effects", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{name}\n".encode())
    os.close(file)


def gate_is_open(name: str) -> bool:
    return (FOLDER / f"{name}.gate").exists()


async def at_gate(name: str) -> None:
    while not gate_is_open(name):
        await asyncio.sleep(0.01)


def at_gate_sync(name: str) -> None:
    while not gate_is_open(name):
        time.sleep(0.01)
