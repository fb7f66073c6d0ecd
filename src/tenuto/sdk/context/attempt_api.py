"""The calls of a running attempt: a verb with JSON arguments, so that SQL, a pipe or HTTP can carry them."""

from typing import Any, Protocol

Json = Any


class AttemptApi(Protocol):
    """Sends the calls of one attempt. Every call is checked against the attempt's lease."""

    async def ask(self, verb: str, **arguments: Json) -> Json:
        """Make one call and return its result. Raises the error of the SQL function (StaleLease, Cancelled, TooLarge
        …)."""
        ...

    def tell(self, verb: str, **arguments: Json) -> None:
        """Send `log` or `progress` without waiting. These are sent in batches and may arrive late."""
        ...
