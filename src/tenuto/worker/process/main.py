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
from tenuto.runtimes.child_logging import log_with_tasks
from tenuto.runtimes.code_version import code_version
from tenuto.runtimes.process_hooks import StartupFailed, shut_down, start_up
from tenuto.runtimes.process_lifetime import die_with_parent, ignore_signals, make_undumpable
from tenuto.runtimes.sandbox.capabilities import SandboxUnavailable, find_capabilities
from tenuto.sdk.app import App
from tenuto.sdk.app_loader import BadTarget, load_apps
from tenuto.worker.backends.base import import_backend, open_backend
from tenuto.worker.execution.sandboxes import needs_sandbox
from tenuto.worker.process.registration import NO_OPERATORS
from tenuto.worker.process.worker_process import WorkerProcess
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.control_channel import ControlChannel

log = logging.getLogger("tenuto.worker")

# With Python's default of 5 ms, a claimer that got a response waits that long for a busy event loop. The shorter time
# raised the throughput of two processes from 46,000 to 50,000 tasks/s.
THREAD_SWITCH_SECONDS = 0.0005
# With 700, the default of Python 3.11, garbage collection takes a tenth of the CPU time of short tasks. With 5,000,
# tasks whose errors are in reference cycles used five times as much memory.
YOUNG_OBJECTS = 2_000


def main(fd: int, ledger: int, backend: str) -> None:
    """Run a child process; the supervisor starts `python -m tenuto.worker.process.main FD LEDGER BACKEND`."""
    die_with_parent()
    ignore_signals()
    # Import now, while the supervisor determines the settings.
    import_backend(remote=backend == "http")
    _find_operators()
    control = ControlChannel(socket.socket(fileno=fd))
    first = control.receive()
    if first is None:
        return
    gc.set_threshold(YOUNG_OBJECTS)  # before the apps are loaded, which may set their own
    os.chdir(first["folder"])
    settings = WorkerSettings.from_json(first["settings"])
    log_with_tasks(settings.log)
    try:
        app = load_apps(settings.targets)
        for task in app.tasks.values():
            task.check()  # report type hints without a JSON form now, not at the first task
        operators = _load_operators(settings, app)
    except (BadTarget, InvalidInput) as problem:
        control.send({"event": "refused", "reason": str(problem)})
        return
    if not settings.code_version:
        settings = replace(settings, code_version=code_version(app), hashes_code=True)
    gc.freeze()  # imported modules stay in memory: exclude them from garbage collection
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    with _runner() as runner:
        try:
            left_behind = runner.run(_work(settings, app, operators, control, ledger))
        except StartupFailed as problem:
            log.error("%s", problem, exc_info=problem.__cause__)
            control.send({"event": "failed", "reason": str(problem)})
            sys.exit(1)
        except BaseException as error:  # user code stopped the event loop, cancelled every task or called sys.exit()
            # End before the runner cancels the attempts: cancelled attempts would be given back, not counted as lost.
            end_process(died_of("event loop", error))
    if left_behind:
        os._exit(0)  # threads that do not stop must not keep the process alive


def _find_operators() -> None:
    """Import the operators, and find the operators of other packages. This takes 50 ms."""
    from tenuto.operators.app import installed_operators

    installed_operators()


def _load_operators(settings: WorkerSettings, app: App) -> App:
    """Return the operators that this process serves. In a dispatcher, these are the operators that can run in
    dispatchers; in a worker with an app, all operators, with python for each function of the app; in other workers,
    none."""
    if not settings.targets and not settings.in_dispatcher:
        return NO_OPERATORS
    from tenuto.operators.app import operator_app, operators_in_dispatcher

    only = operators_in_dispatcher() if settings.in_dispatcher else None
    return operator_app(settings.storage, settings.allowed_hosts, only=only, functions=app.functions)


async def _work(settings: WorkerSettings, app: App, operators: App, control: ControlChannel, ledger: int) -> bool:
    capabilities = None
    if settings.weak_sandbox:
        make_undumpable()
    if needs_sandbox(settings, app):
        try:
            capabilities = await find_capabilities(weak=settings.weak_sandbox)
        except SandboxUnavailable as refusal:
            control.send({"event": "refused", "reason": str(refusal)})
            return False
        log.log(logging.WARNING if capabilities.missing else logging.INFO, capabilities.describe())
        settings = replace(settings, sandbox=capabilities.name)
    await start_up(app.hooks)
    try:
        async with open_backend(settings) as backend:
            return await WorkerProcess(settings, app, control, ledger, backend, capabilities, operators=operators).run()
    finally:
        await shut_down(app.hooks)


def _runner() -> asyncio.Runner:
    if sys.platform == "win32":
        return asyncio.Runner()
    import uvloop

    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
