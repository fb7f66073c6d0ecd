"""Stands for a payment provider: another system, with transactions of its own and an idempotency key per request."""

import asyncio
import os

from database import Payment, sessions
from sqlalchemy.dialects.postgresql import insert

from tenuto import Fail, step

CREDIT_LIMIT_CENTS = 500_000
RESPONSE_SECONDS = float(os.environ.get("BANK_RESPONSE_SECONDS", "0"))  # between the payment and the response


class Declined(Exception):
    """The bank refuses the payment; asking again does not help."""


def unless_declined(error: BaseException, _failures: int) -> type[Fail] | None:
    """The retry policy of a charge: the default pause, or no further try."""
    return Fail if isinstance(error, Declined) else None


@step(max_attempts=5, retry=unless_declined, timeout="1m")
async def charge(key: str, order_id: int, cents: int) -> str:
    if cents > CREDIT_LIMIT_CENTS:
        raise Declined(f"{cents / 100:.2f} is more than the credit limit")
    await _pay(key, order_id, cents)
    return key


@step(max_attempts=100, timeout="1m")  # there is no other way to give the money back
async def refund(key: str, order_id: int, cents: int) -> None:
    await _pay(f"{key} refund", order_id, -cents)


async def _pay(key: str, order_id: int, cents: int) -> None:
    """Two requests with the same key are one payment."""
    async with sessions.begin() as session:
        payment = insert(Payment).values(key=key, order_id=order_id, cents=cents)
        again = {"requests": Payment.requests + 1}
        await session.execute(payment.on_conflict_do_update(index_elements=[Payment.key], set_=again))
    await asyncio.sleep(RESPONSE_SECONDS)
