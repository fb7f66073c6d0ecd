"""Clients of a process that forks: each child opens connections of its own, and the parent keeps its own."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.support.free_ports import free_ports
from tests.support.processes.script import run_script
from tests.support.waiting import wait_until

# Prints the server's process id of the connection that each process uses. A child that used its parent's connection
# would have the same, and a broken connection would change that of the parent.
BACKEND = """
async def backend(tn):
    async with tn.direct.pool.connection() as conn:
        return (await (await conn.execute("select pg_backend_pid()")).fetchone())[0]
"""
SYNC = f"""
import multiprocessing
{BACKEND}
tn = app.open_sync(**way)
def used():
    return [tn.start(add, 1, 2).status(), tn.wait_for(backend(tn.client))]
def child(pipe, run):
    pipe.send([*used(), run.status(), tn.run(run.id).status()])
def fork(run):
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child, args=(there, run))
    process.start()
    assert here.poll(30), "the child hangs"
    process.join(60)
    assert process.exitcode == 0
    return here.recv()
run = tn.start(add, 1, 2)
before = used()
children = [fork(run), fork(run)]
print([before, *children, used()])
"""
ASYNC = f"""
import multiprocessing
{BACKEND}
tn = None
async def used():
    return [await (await tn.start(add, 1, 2)).status(), await backend(tn)]
def child(pipe):
    pipe.send(asyncio.run(used()))
async def main():
    global tn
    tn = await app.open(**way)
    before = await used()
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child, args=(there,))
    process.start()
    assert await asyncio.to_thread(here.poll, 60), "the child hangs"
    process.join(60)
    assert process.exitcode == 0
    print([before, here.recv(), await used()])
    await tn.close()
asyncio.run(main())
"""


@pytest.mark.parametrize("code", [SYNC, ASYNC], ids=["sync", "async"])
def test_a_forked_child_opens_connections_of_its_own(code: str, database, tmp_path):
    done = run_script(code, {"url": database}, tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    before, *children, after = json.loads(done.stdout.replace("'", '"'))
    assert before == after
    assert all(status == "pending" for report in children for status in (report[0], *report[2:]))
    assert len({before[1], *(report[1] for report in children)}) == 1 + len(children)


def test_a_forked_child_can_start_and_ask_over_either_transport(way, tmp_path):
    code = SYNC.replace("tn.wait_for(backend(tn.client))", "0").replace(BACKEND, "")
    done = run_script(code, way, tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


SERVED = """
import os
from flask import Flask
from tasks import add, app
tn = app.open_sync()
tn.start(add, 1, 2)  # the parent has connections and a thread when the server forks
api = Flask("api")
@api.get("/")
def index():
    return {"pid": os.getpid(), "status": tn.start(add, 1, 2).status()}
"""
GUNICORN = ("-m", "gunicorn", "--preload", "-w", "2", "-b", "{address}", "served:api")
# uWSGI forks in C: Python does not notice (os.register_at_fork).
UWSGI = (
    *("-c", "import pyuwsgi; pyuwsgi.run()", "--master", "--enable-threads", "--need-app", "--die-on-term"),
    *("--processes", "2", "--http-socket", "{address}", "--module", "served:api"),
)


@pytest.mark.parametrize("arguments", [GUNICORN, UWSGI], ids=["gunicorn", "uwsgi"])
def test_a_client_that_was_used_before_a_server_forks_works_in_every_worker(
    arguments: tuple[str, ...], database, tmp_path: Path
):
    (tmp_path / "tasks.py").write_text(
        "from tenuto import App\napp = App('shop')\n@app.task\ndef add(x: int, y: int) -> int:\n    return x + y\n"
    )
    (tmp_path / "served.py").write_text(SERVED)
    address = f"127.0.0.1:{free_ports(1)[0]}"
    log = tmp_path / "log"
    command = [sys.executable, *(argument.format(address=address) for argument in arguments)]
    environment = {**os.environ, "TENUTO_DATABASE_URL": database}
    with (
        log.open("w") as file,
        subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=file, stderr=file) as server,
    ):
        try:
            wait_until(lambda: len(re.findall("Booting worker|spawned uWSGI worker", log.read_text())) == 2)
            answers: dict[int, str] = {}

            def both_answered() -> bool:
                with urllib.request.urlopen(f"http://{address}/", timeout=30) as response:
                    answer = json.load(response)
                answers[answer["pid"]] = answer["status"]
                return len(answers) == 2

            wait_until(both_answered)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)

    assert set(answers.values()) == {"pending"}
    assert server.returncode == 0
    assert "Traceback" not in log.read_text()
