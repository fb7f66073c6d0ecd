"""Runs the start-up and shutdown hooks of the apps, once per process that runs their tasks."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable

from tenuto.sdk.hooks import Hooks, ProcessHook, name_of

log = logging.getLogger("tenuto.worker")


class StartupFailed(Exception):
    """A start-up hook raised an error, so the process cannot run tasks. The message names the hook."""


async def start_up(hooks: Hooks) -> None:
    """Run the start-up hooks in order. Raises StartupFailed at the first error."""
    for hook in hooks.startup:
        try:
            await _finished(hook())
        except Exception as error:
            raise _failed(hook, error) from error


async def shut_down(hooks: Hooks) -> None:
    """Run all shutdown hooks, the last one first. Errors are logged."""
    for hook in reversed(hooks.shutdown):
        try:
            await _finished(hook())
        except Exception:
            _log_error(hook)


def start_up_in_thread(hooks: Hooks, loop: asyncio.AbstractEventLoop) -> None:
    """Run the start-up hooks in order. Plain functions run in the calling thread, as plain tasks do; async functions
    run on the loop, in another thread. Raises StartupFailed at the first error."""
    for hook in hooks.startup:
        try:
            asyncio.run_coroutine_threadsafe(_finished(hook()), loop).result()
        except Exception as error:
            raise _failed(hook, error) from error


def shut_down_in_thread(hooks: Hooks, loop: asyncio.AbstractEventLoop) -> None:
    """Run all shutdown hooks, the last one first, in the same threads as the start-up hooks. Errors are logged."""
    for hook in reversed(hooks.shutdown):
        try:
            asyncio.run_coroutine_threadsafe(_finished(hook()), loop).result()
        except Exception:
            _log_error(hook)


async def _finished(result: Awaitable[None] | None) -> None:
    if inspect.isawaitable(result):
        await result


def _failed(hook: ProcessHook, error: Exception) -> StartupFailed:
    return StartupFailed(f"the start-up hook {name_of(hook)} raised {type(error).__name__}: {error}")


def _log_error(hook: ProcessHook) -> None:
    log.exception("the shutdown hook %s failed", name_of(hook))
