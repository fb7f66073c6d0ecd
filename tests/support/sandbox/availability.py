"""Whether a full sandbox can be built here: it needs root, and not every container allows it. CI does."""

import asyncio
from functools import cache

import pytest

from tenuto.runtimes.sandbox.capabilities import SandboxUnavailable, find_capabilities

OUTSIDE_MEMORY = "/var/tmp"  # noqa: S108 - a sandbox does not see /dev/shm, where a test run may keep its files


def require_full_sandbox() -> None:
    """Skip the test, with the reason a worker would give, where there can be none."""
    if why := _refusal():
        pytest.skip(why)


@cache
def _refusal() -> str | None:
    try:
        asyncio.run(find_capabilities(weak=False))
    except SandboxUnavailable as refusal:
        return str(refusal)
    return None
