"""Kills a part of a process from within, as broken code would: on SIGUSR1, the asyncio tasks or threads whose name
is in the file that POISON names.

Python imports it by itself in a process, and in those that it starts, with this folder in PYTHONPATH.
"""

import asyncio
import ctypes
import os
import signal
import threading
from pathlib import Path


def poison(*_: object) -> None:
    name = Path(os.environ["POISON"]).read_text()
    for thread in threading.enumerate():
        if thread.name == name and thread.ident is not None:
            error = ctypes.py_object(RuntimeError)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), error)
    for task in asyncio.all_tasks():
        if task.get_name() == name:
            task.cancel()


if "POISON" in os.environ:
    signal.signal(signal.SIGUSR1, poison)
