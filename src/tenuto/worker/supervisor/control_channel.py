"""The child's end of the connection to its supervisor."""

from collections.abc import Callable
from contextlib import suppress

from tenuto.model.json import JsonObject
from tenuto.runtimes.json_lines import JsonLinesSocket, Message
from tenuto.worker.supervisor.outage_log import OutageLog


class ControlChannel(JsonLinesSocket):
    """Sends messages to the supervisor and receives its messages in a separate thread, so that a busy event loop does
    not delay the list of held attempts. If the interpreter itself is busy, the supervisor uses the previous list."""

    def send(self, message: JsonObject) -> None:
        with suppress(OSError):  # the supervisor is gone: the listening thread notices
            super().send(message)

    def outage_log(self) -> OutageLog:
        """Return an outage log that reports outages to the supervisor, which writes them to its log."""
        return OutageLog(
            gone=lambda reason, _: self.send({"event": "away", "reason": reason}),
            back=lambda _: self.send({"event": "back"}),
        )

    def listen(self, handle: Callable[[Message | None], None]) -> None:
        """Call `handle` with each message, in the calling thread. When the supervisor is gone, call it with None."""
        while (message := self.receive()) is not None:
            handle(message)
        handle(None)
