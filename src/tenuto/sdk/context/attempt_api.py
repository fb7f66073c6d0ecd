"""How a running attempt reaches the kernel: one verb and JSON at a time, so that SQL, a pipe or HTTP can carry it."""

from typing import Any, Protocol

Json = Any


class AttemptApi(Protocol):
    """The attempt's way out. Every verb is fenced by the attempt it belongs to."""

    async def ask(self, verb: str, **arguments: Json) -> Json:
        """One call of the attempt; raises what the kernel raised (StaleLease, Cancelled, TooLarge …)."""
        ...

    def tell(self, verb: str, **arguments: Json) -> None:
        """Something nobody waits for: `log`, `progress`. Sent in batches, may come late."""
        ...
