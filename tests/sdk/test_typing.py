"""`start(send, …)` is checked against the function by a type checker, before anything runs."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
from typing import assert_type
from tenuto import App, Child, Client, Context, Fixed, Graph, Node, Run, SyncClient, SyncContext, SyncRun
from tenuto import chain, group, step

app = App("shop")

@app.task(max_attempts=5, timeout="30s", queue="mail")
async def send(ctx: Context, to: str, subject: str = "hi") -> str:
    return to

@app.task
def add(x: int, y: int) -> int:
    return x + y

@app.task
def plain(ctx: SyncContext, n: int) -> None: ...

@app.task
async def wait(delay: int) -> list[int]:
    return [delay]

async def right(tn: Client, sync: SyncClient) -> None:
    assert_type(await tn.start(send, "a@b.c"), Run[str])
    assert_type(await tn.start(send, to="a@b.c", subject="hi"), Run[str])
    assert_type(await tn.start(send, to="a@b.c", delay="5m", priority=10, dedupe_key="k"), Run[str])
    assert_type(await tn.start(send, to="a@b.c", dedupe_key=None), Run[str])
    assert_type(await tn.start(add, 1, y=2), Run[int])
    assert_type(await (await tn.start(add, 1, 2)).result(timeout=60), int)
    assert_type(await tn.start(plain, 5), Run[None])
    assert_type(await tn.start(wait, delay=5), Run[list[int]])
    assert_type(await tn.start(wait.options(delay="5m"), delay=5), Run[list[int]])
    assert_type(sync.start(add, 1, 2), SyncRun[int])
    assert_type(sync.start(add, 1, 2).result(), int)
    assert_type((await tn.start_many(add, [(1, 2)]))[0], Run[int])
    g = Graph()
    total = g.add(add, g.add(add, 1, 2), 3)
    assert_type(total, Node[int])
    await tn.start(g, metadata={"team": "bi"})
    await tn.start(chain(group(add, add), add), 1, 2, 3, 4)
    await tn.start([g])

@step(max_attempts=5, retry=Fixed("1s"), timeout="10s")
async def charge(order: int, timeout: str = "") -> float:
    return 1.5

def mail(to: str) -> bool:
    return True

async def inside(ctx: Context, sync: SyncContext) -> None:
    assert_type(await ctx.step("charge", charge, 5), float)
    assert_type(await ctx.step("charge", charge, 5, timeout="an argument of the function"), float)
    assert_type(await ctx.step("mail", mail, "a@b.c"), bool)
    assert_type(sync.step("charge", charge, 5), float)
    assert_type(sync.step("mail", mail, to="a@b.c"), bool)
    assert_type(await ctx.start(add, 1, 2), int)
    child = await ctx.start(add, 1, 2).started()
    assert_type(child, Child[int])
    assert_type(await child, int)
    assert_type(await ctx.gather(child, ctx.start(send, "a"), ctx.step("c", charge, 5)), tuple[int, str, float])
    assert_type(await ctx.gather(ctx.step("m", mail, "a"), ctx.start(add, 1, 2)), tuple[bool, int])
    assert_type(await ctx.gather(*ctx.map(add, [(1, 2)])), list[int])
    assert_type(await ctx.gather(child, child, return_exceptions=True), list[int | Exception])
    assert_type(sync.start(add, 1, 2).result(), int)
    assert_type(sync.gather(sync.start(add, 1, 2), *sync.map(add, [(1, 2)])), list[int])

async def wrong_inside(ctx: Context, sync: SyncContext) -> None:
    await ctx.step("charge", charge, "5")  # 0: not a number
    await ctx.step("mail", mail, to="a", subject="b")  # 0: no such parameter
    sync.step("charge", charge)  # 0: one is missing
    await ctx.gather(5)  # 0: not awaitable
    step(retries=3)  # 0: no such option

async def wrong(tn: Client, sync: SyncClient) -> None:
    await tn.start(send)  # 1: nothing given
    await tn.start(send, 5)  # 2: not a text
    await tn.start(send, to="a", topic="b")  # 3: no such parameter
    await tn.start(add, 1, "2")  # 4: not a number
    await tn.start(add, 1, 2, 3)  # 5: too many
    await tn.start(add.options(delay="5m"), "1", 2)  # 6: checked with options too
    await tn.start(print, 1)  # 7: not a task
    sync.start(add, 1)  # 8: one is missing
    add.options(dealy="5m")  # 9: no such option
    await tn.start(add, 1, 2, delay=[])  # 10: not a duration

@app.task(max_atempts=5)  # 11: no such option
def typo() -> None: ...
"""


def test_wrong_arguments_are_type_errors_and_right_ones_are_not(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    expected = [line.split("#")[1].strip() for line in PROGRAM.splitlines() if re.search(r"# \d+:", line)]

    checked = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(program)], capture_output=True, text=True
    )
    lines = program.read_text().splitlines()
    wrong = {int(number) for number in re.findall(r"program\.py:(\d+):\d+ - error", checked.stdout)}

    said = [lines[number - 1].split("#")[-1].strip() for number in sorted(wrong)]
    assert said == expected, checked.stdout
