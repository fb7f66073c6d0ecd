"""The first scene: a worker is killed between two steps of an order, and another worker continues the order."""

import inspect
import re
from pathlib import Path
from uuid import UUID

from tenuto.db import details
from tenuto.demo import shop
from tenuto.demo.home import LEDGER
from tenuto.demo.stage import Stage, expect

BY = re.compile(r"by process (\d+)$")


async def show_crash(stage: Stage) -> UUID:
    """Run the scene; return the id of the task."""
    screen, ledger = stage.screen, Ledger(stage.home / LEDGER)
    number = ledger.next_order()
    screen.line("1. A worker is killed between two steps", bold=True)
    for line in steps_of_order():
        screen.line(f"     {line}")
    run = await stage.tn.start(shop.order, number)
    task = (await run.tasks())[0].id
    await stage.wait("the order is charged, and this is recorded", lambda: _is_recorded(stage, task, "charge"))
    charged = ledger.lines(number)[0]
    screen.line(f"   ledger: {charged}")

    first = next(worker for worker in stage.workers if pid_in(charged) in worker.pids())
    pids = first.pids()
    first.kill()
    screen.line(f"   kill -9 {' '.join(map(str, pids))}     the worker and its child", colour="red", bold=True)

    took = await stage.wait("another worker has the order", lambda: _is_attempt(stage, task, 2))
    screen.line(f"   {took:.1f} s later another worker continues the order, as attempt 2", colour="green")
    (stage.home / f"packed-{number}").touch()
    screen.waits("waiting until the order is shipped")
    expect("result of the order", await run.result(timeout=60), f"order {number} is shipped")
    (stage.home / f"packed-{number}").unlink()
    lines = ledger.lines(number)
    for line in lines:
        screen.line(f"   ledger: {line}")
    expect("lines of the ledger", [BY.sub("", line) for line in lines], expected_lines(number))
    expect("lines of the killed worker", [pid_in(line) in pids for line in lines], [True, False])
    screen.line("   Charged once: attempt 2 took the result of that step from Postgres.", colour="green")
    return task


class Ledger:
    """The file that the functions of the shop write."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def next_order(self) -> int:
        return 1 + max(map(int, re.findall(r"^order (\d+):", self._path.read_text(), re.MULTILINE)), default=0)

    def lines(self, order: int) -> list[str]:
        return [line for line in self._path.read_text().splitlines() if line.startswith(f"order {order}:")]


def expected_lines(number: int) -> list[str]:
    return [f"order {number}: charged 42.00 EUR, ", f"order {number}: shipped, "]


def steps_of_order() -> list[str]:
    """Return the lines of the task that the scene is about, from its source."""
    source = inspect.getsource(shop).partition("async def order")[2].partition("\n\n")[0]
    return [line for line in map(str.strip, source.splitlines()) if line.startswith("await")]


def pid_in(line: str) -> int:
    found = BY.search(line)
    return int(found[1]) if found else 0


async def _is_recorded(stage: Stage, task: UUID, step: str) -> bool:
    direct = stage.tn.direct
    found = await direct.pool.call(details.get_task_details, org_id=direct.org_id, task_id=task)
    return any(recorded.name == step for recorded in found.steps)


async def _is_attempt(stage: Stage, task: UUID, number: int) -> bool:
    found = await stage.tn.tasks.get(task)
    return found.attempt == number and found.status == "running"
