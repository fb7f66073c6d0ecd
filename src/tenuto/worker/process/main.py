"""Entry point of a worker's child process, which runs user code: claims, runs and reports tasks. Its supervisor sends
the heartbeats."""

import asyncio
import gc
import logging
import os
import socket
import sys
from dataclasses import replace

from tenuto.model.errors import InvalidInput
from tenuto.runtimes.background import died_of, end_process
from tenuto.runtimes.child_logging import log_to_terminal
from tenuto.runtimes.process_lifetime import die_with_parent, ignore_signals, make_undumpable
from tenuto.runtimes.sandbox.capabilities import SandboxUnavailable, find_strength
from tenuto.sdk.app import App
from tenuto.sdk.app_loader import BadTarget, load_app
from tenuto.worker.backends.base import open_backend
from tenuto.worker.execution.sandboxes import needs_sandbox
from tenuto.worker.process.worker_process import WorkerProcess
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.control_channel import ControlChannel

log = logging.getLogger("tenuto.worker")

# With the default of 5 ms, a claimer with a response waits for a busy loop: two processes drained 46 k/s, now 50 k/s.
THREAD_SWITCH_SECONDS = 0.0005


def main(fd: int, ledger: int) -> None:
    """Run a child process; the supervisor starts `python -m tenuto.worker.process.main FD LEDGER`."""
    die_with_parent()
    ignore_signals()
    control = ControlChannel(socket.socket(fileno=fd))
    first = control.receive()
    if first is None:
        return
    settings = WorkerSettings.from_json(first["settings"])
    log_to_terminal()
    try:
        app = load_app(settings.target) if settings.target else App("bundles")
        for task in app.tasks.values():
            task.check()  # report hints without a JSON form now, not at the first task
    except (BadTarget, InvalidInput) as problem:
        control.send(say="refused", reason=str(problem))
        return
    gc.freeze()  # imported modules stay in memory: exclude them from garbage collection
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    with _runner() as runner:
        try:
            left_behind = runner.run(_work(settings, app, control, ledger))
        except BaseException as error:  # user code stopped the event loop, cancelled every task or called sys.exit()
            # Before the runner cancels the attempts: they would end as if they had been given back, uncharged.
            end_process(died_of("event loop", error))
    if left_behind:
        os._exit(0)  # threads that do not stop must not keep the process alive


async def _work(settings: WorkerSettings, app: App, control: ControlChannel, ledger: int) -> bool:
    strength = None
    if settings.weak_sandbox:
        make_undumpable()
    if needs_sandbox(settings, app):
        try:
            strength = await find_strength(weak=settings.weak_sandbox)
        except SandboxUnavailable as refusal:
            control.send(say="refused", reason=str(refusal))
            return False
        log.log(logging.WARNING if strength.missing else logging.INFO, strength.describe())
        settings = replace(settings, sandbox=strength.name)
    async with open_backend(settings) as backend:
        return await WorkerProcess(settings, app, control, ledger, backend, strength).run()


def _runner() -> asyncio.Runner:
    if sys.platform == "win32":
        return asyncio.Runner()
    import uvloop

    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
