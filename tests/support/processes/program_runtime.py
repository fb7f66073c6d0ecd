"""A runtime of one file: runs a program with the arguments of the task; its result is what the program prints."""

import asyncio
import json

from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.invoke import classify
from tenuto.runtimes.outcomes import Completed, Failed, Interrupted, Outcome


class ProgramHandle:
    """The program of one attempt."""

    def __init__(self, program: "asyncio.Task[Outcome]") -> None:
        self._program = program

    def ask_to_stop(self) -> None:
        self._program.cancel()

    def kill(self) -> bool:
        return True  # a cancelled program is killed


class ProgramRuntime:
    """Starts one program per attempt."""

    def __init__(self, host: RuntimeHost) -> None:
        self._host = host

    def submit(self, attempt: Attempt) -> ProgramHandle:
        program = self._host.loop.create_task(self._run(attempt))
        program.add_done_callback(lambda _: self._host.ended(attempt, _outcome(attempt, program)))
        return ProgramHandle(program)

    async def _run(self, attempt: Attempt) -> Outcome:
        words = [str(word) for word in json.loads(attempt.input or "[]")]
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        self._host.began(attempt)
        try:
            printed, _ = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            await process.wait()
            raise
        if process.returncode:
            return Failed({"type": "ExitCode", "message": f"the program ended with code {process.returncode}"})
        return Completed(json.dumps(printed.decode().strip()))


def _outcome(attempt: Attempt, program: "asyncio.Task[Outcome]") -> Outcome:
    if program.cancelled():
        return attempt.stop or Interrupted()
    error = program.exception()  # there is no such program
    return program.result() if error is None else classify(attempt, error)
