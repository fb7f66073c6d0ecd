"""Tasks for Celery: results are stored only where a chord needs them."""

from celery import Celery

from bench.peers import sender
from bench.peers.tally import hit
from bench.peers.tally import late as note

app = Celery("bench", broker=sender.url(), backend=sender.url())
app.conf.update(
    task_ignore_result=True,
    worker_prefetch_multiplier=100,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
)


@app.task(name="noop")
def noop(n: int) -> int:
    hit()
    return n


@app.task(name="part", ignore_result=False)
def part(n: int) -> int:
    hit()
    return n


@app.task(name="whole")
def whole(parts: list[int]) -> int:
    hit()
    return sum(parts)


@app.task(name="late")
def late(sent: int) -> None:
    note(sent)
