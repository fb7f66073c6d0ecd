"""The tasks of the shop. Workers run them: `tenuto worker tasks.py`."""

from collections.abc import Awaitable, Callable
from typing import Any

import bank
from database import Item, Order, Payment, engine, sessions
from sqlalchemy import func, select

from tenuto import App, ChildFailed, Context, Limit

app = App("shop")

NEEDS_APPROVAL_CENTS = 100_000


@app.on_shutdown
async def close_connections() -> None:
    await engine.dispose()


class SoldOut(Exception):
    """Too few of an item are left."""


class Rejected(Exception):
    """Nobody approved the order."""


@app.task(max_attempts=5)
async def process(ctx: Context, order_id: int, cents: int) -> str:
    """Charge the customer, reserve the items, wait for an approval if necessary, and ship. If one of these fails for
    good, undo those before it, in reverse order (a saga)."""
    undo: list[tuple[str, Callable[..., Awaitable[None]], tuple[Any, ...]]] = []
    try:
        key = await ctx.step("charge", bank.charge, f"{ctx.idempotency_key} charge", order_id, cents)
        undo.append(("refund", bank.refund, (key, order_id, cents)))

        parcels = await ctx.step("reserve", reserve, order_id)
        undo.append(("release", release, (order_id,)))

        if cents >= NEEDS_APPROVAL_CENTS:
            await approved(ctx)
        labels = await ctx.gather(*(ctx.start(pack, order_id, *parcel) for parcel in parcels.items()))
    except (bank.Declined, SoldOut, Rejected, ChildFailed) as problem:
        for name, function, arguments in reversed(undo):
            await ctx.step(name, function, *arguments)
        await ctx.step("cancel", finish, order_id, "cancelled")
        return f"order {order_id} is cancelled: {problem}"
    await ctx.step("ship", finish, order_id, "shipped")
    return f"order {order_id} is shipped: {', '.join(labels)}"


async def approved(ctx: Context) -> None:
    """Wait for a signal; the task occupies no worker meanwhile."""
    try:
        approval = await ctx.wait("approval", timeout="3d")
    except TimeoutError as error:
        raise Rejected("nobody approved it within three days") from error
    if not approval["approved"]:
        raise Rejected(f"{approval['by']} rejected it")


async def reserve(order_id: int) -> dict[str, list[str]]:
    """Take the items from the stock; return the parcels, one per warehouse. A step may run again if the process dies
    before its result is recorded; the status of the order tells whether it did its work."""
    async with sessions.begin() as session:
        order = await session.get_one(Order, order_id, with_for_update=True)
        items = await session.scalars(
            select(Item).where(Item.name.in_(order.items)).order_by(Item.name).with_for_update()
        )
        parcels: dict[str, list[str]] = {}
        for item in items:
            quantity = order.items[item.name]
            parcels.setdefault(item.warehouse, []).append(f"{quantity} {item.name}")
            if order.status == "new":
                if item.left < quantity:
                    raise SoldOut(f"{item.left} {item.name} left")
                item.left -= quantity
        order.status = "reserved"
        return parcels


async def release(order_id: int) -> None:
    """Put the items back into the stock."""
    async with sessions.begin() as session:
        order = await session.get_one(Order, order_id, with_for_update=True)
        if order.status == "reserved":
            for name in sorted(order.items):
                item = await session.get_one(Item, name, with_for_update=True)
                item.left += order.items[name]
            order.status = "cancelled"


async def finish(order_id: int, status: str) -> None:
    async with sessions.begin() as session:
        order = await session.get_one(Order, order_id)
        order.status = status


@app.task(limit=Limit(2, key="warehouse"))  # each warehouse packs two parcels at a time
async def pack(order_id: int, warehouse: str, items: list[str]) -> str:
    return f"{order_id}-{warehouse} ({', '.join(items)})"


@app.task(cron="0 6 * * *", timezone="Europe/Berlin")
async def balance() -> dict[str, int]:
    """Compare orders and payments every morning."""
    async with sessions() as session:
        shipped = await session.scalar(select(func.coalesce(func.sum(Order.cents), 0)).where(Order.status == "shipped"))
        paid = await session.scalar(select(func.coalesce(func.sum(Payment.cents), 0)))
        return {"shipped": shipped or 0, "paid": paid or 0}
