"""Who is woken by what: a request hears of its own queues, of anything that may have been missed, and of cancels."""

import asyncio

from tenuto.model.workers import Wakeup
from tenuto.server.wakeups import Subscription


def a_watch(*queues: str) -> Subscription:
    watch = Subscription()
    watch.queues = frozenset(queues) or None
    return watch


def heard(watch: Subscription, *wakes: str | None) -> tuple[bool, bool]:
    for queue in wakes:
        watch.hear(Wakeup(queue))
    return watch.woken, watch.cancelled


def test_other_queues_wake_nobody_here() -> None:
    assert heard(a_watch("mail"), "gpu", "default") == (False, False)


def test_own_queues_all_queues_and_a_rescan_wake() -> None:
    assert [heard(a_watch("mail"), queue) for queue in ("mail", "*", None)] == [(True, False)] * 3
    assert heard(a_watch(), "gpu") == (True, False)


def test_a_cancel_is_told_apart_from_work() -> None:
    assert heard(a_watch("mail"), "!cancel") == (False, True)


def test_what_comes_between_two_looks_is_heard_at_the_second() -> None:
    async def look() -> None:
        watch = a_watch("mail")
        watch.hear(Wakeup("mail"))
        async with asyncio.timeout(60):
            await watch.news()
            watch.hear(Wakeup("mail"))
            await watch.news()

    asyncio.run(look())
