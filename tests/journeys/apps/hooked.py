"""An app with hooks, whose calls are effects."""

import os
import time

from tenuto import App, TaskFailure
from tests.journeys.apps.world import effect, gate_is_open

app = App("hooked")
state = {"opened in": 0}


@app.on_startup
async def open_pool() -> None:
    if gate_is_open("broken"):
        raise OSError("no connection for the pool")
    state["opened in"] = os.getpid()
    effect(f"opened in {os.getpid()}")


@app.on_shutdown
def close_pool() -> None:
    effect(f"closed in {os.getpid()}")
    if gate_is_open("stuck"):
        time.sleep(3600)


@app.on_failure
def report(failure: TaskFailure) -> None:
    effect(f"{failure.task_name} {type(failure.error).__name__} final={failure.final} in {os.getpid()}")


@app.task
async def on_loop() -> bool:
    return state["opened in"] == os.getpid()


@app.task(executor="process")
def in_process() -> bool:
    return state["opened in"] == os.getpid()


@app.task(executor="process", max_attempts=1)
def fail_in_process() -> None:
    raise ValueError("it fails there")


@app.task(executor="process", max_attempts=1, max_losses=1)
def die_in_process() -> None:
    os._exit(3)
