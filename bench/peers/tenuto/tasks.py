"""Tasks for Tenuto."""

from bench.peers.tally import hit
from bench.peers.tally import late as note
from tenuto import App, Limit

app = App("bench")


@app.task
async def noop(n: int) -> int:
    hit()
    return n


@app.task
async def late(sent: int) -> None:
    note(sent)


@app.task
async def whole(parts: list[int]) -> int:
    hit()
    return sum(parts)


@app.task(limit=Limit(10, key="customer"))
async def limited(customer: int) -> int:
    hit()
    return customer
