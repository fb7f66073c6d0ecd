"""A process that must not outlive its parent."""

import sys


def die_with_parent() -> None:
    """Killed parents take this process along, where the system can do that; elsewhere a closed line ends it."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
