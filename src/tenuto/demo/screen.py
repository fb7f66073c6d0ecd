"""Prints the demo: one line at a time, with colours on a terminal only, and never silent for long."""

import threading
import time

import typer

QUIET_SECONDS = 2.0  # after this time without a line, the demo prints what it waits for


class Screen:
    """Prints lines, and what the demo waits for."""

    def __init__(self, *, colours: bool = True) -> None:
        self._colours = None if colours else False  # None: if the output is a terminal
        self._lock = threading.Lock()
        self._waits_for, self._since = "", time.monotonic()
        self._printed_at = self._since
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._print_waits, name="demo output", daemon=True)
        self._watch.start()

    def line(self, text: str = "", *, colour: str | None = None, bold: bool = False) -> None:
        with self._lock:
            self._print(typer.style(text, fg=colour, bold=bold) if colour or bold else text)

    def waits(self, what: str) -> None:
        """Set what the demo waits for from now on."""
        with self._lock:
            self._waits_for, self._since = what, time.monotonic()

    def close(self) -> None:
        self._ended.set()
        self._watch.join()

    def _print(self, text: str) -> None:
        typer.echo(text, color=self._colours)
        self._printed_at = time.monotonic()

    def _print_waits(self) -> None:
        while not self._ended.wait(0.1):
            with self._lock:
                now = time.monotonic()
                if now - self._printed_at >= QUIET_SECONDS:
                    try:
                        self._print(f"  ... {self._waits_for}, {now - self._since:.0f} s")
                    except OSError:  # the reader of a pipe has gone: the next line of the demo fails, too
                        return
