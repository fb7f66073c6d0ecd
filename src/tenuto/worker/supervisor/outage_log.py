"""Whether the kernel answers: said once when it does not, and once when it does again, whoever asks and how often."""

import threading
import time
from collections.abc import Callable, Hashable

REPEAT_AFTER_SECONDS = 60.0  # seconds between two words about one absence


class OutageLog:
    """`gone` is told why, and from time to time for how long already; `back` for how long it was. From any thread."""

    def __init__(
        self, *, gone: Callable[[str, float], None] = lambda *_: None, back: Callable[[float], None] = lambda _: None
    ) -> None:
        self._gone, self._back = gone, back
        self._lock = threading.Lock()
        self._missing: set[Hashable] = set()  # those who ask in vain
        self._since = self._said = 0.0

    def lost(self, who: Hashable, problem: object) -> None:
        """Somebody got no answer."""
        with self._lock:
            now = time.monotonic()
            if not self._missing:
                self._since, self._said = now, now - REPEAT_AFTER_SECONDS
            self._missing.add(who)
            if now - self._said < REPEAT_AFTER_SECONDS:
                return
            self._said = now
        self._gone(str(problem) or type(problem).__name__, now - self._since)

    def found(self, who: Hashable) -> None:
        """Somebody got an answer. It is over when everybody did."""
        if who not in self._missing:
            return
        with self._lock:
            self._missing.discard(who)
            if self._missing:
                return
        self._back(time.monotonic() - self._since)
