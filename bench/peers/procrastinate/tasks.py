"""Tasks for procrastinate."""

from procrastinate import App, PsycopgConnector

from bench.peers import sender
from bench.peers.tally import hit
from bench.peers.tally import late as note

app = App(connector=PsycopgConnector(conninfo=sender.url(), min_size=4, max_size=20))


@app.task(name="noop")
async def noop(n: int) -> None:
    del n
    hit()


@app.task(name="late")
async def late(sent: int) -> None:
    note(sent)


@app.task(name="link")
async def link(left: int) -> None:
    """Run one link of a chain. There are no dependencies: the task defers the next one itself."""
    hit()
    if left:
        await link.defer_async(left=left - 1)
