"""The web application of the shop: `uvicorn web:api`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from database import Item, Order, engine, sessions
from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession
from tasks import app, process

from tenuto import Unreachable


class NewOrder(BaseModel):
    customer: str
    items: dict[str, int]


class Approval(BaseModel):
    by: str
    approved: bool


@asynccontextmanager
async def lifespan(api: FastAPI) -> AsyncIterator[None]:
    api.state.tn = await app.open()
    yield
    await api.state.tn.close()
    await engine.dispose()


api = FastAPI(lifespan=lifespan)


@api.exception_handler(OperationalError)
@api.exception_handler(Unreachable)
async def ask_to_retry(_request: Request, _error: Exception) -> JSONResponse:
    return JSONResponse({"detail": "the database is not available; try again"}, 503, {"Retry-After": "1"})


async def open_session() -> AsyncIterator[AsyncSession]:
    """One transaction per request: committed at its end, rolled back if it fails."""
    async with sessions.begin() as session:
        yield session


Session = Annotated[AsyncSession, Depends(open_session, scope="function")]


@api.post("/orders", status_code=201)
async def create_order(new: NewOrder, session: Session) -> int:
    """Store an order and start its process, both or neither."""
    prices = {item.name: item.cents for item in await session.scalars(select(Item).where(Item.name.in_(new.items)))}
    if unknown := new.items.keys() - prices.keys():
        raise HTTPException(422, f"there is no {', '.join(sorted(unknown))}")
    cents = sum(prices[name] * quantity for name, quantity in new.items.items())
    order = Order(customer=new.customer, items=new.items, cents=cents)
    session.add(order)
    await session.flush()  # gives the order its id
    await api.state.tn.start(process, order.id, cents, dedupe_key=f"order {order.id}", connection=session)
    return order.id


@api.get("/orders/{order_id}")
async def read_order(order_id: int, session: Session) -> dict[str, str]:
    """Return the state of an order, and what its process says."""
    order = await session.get(Order, order_id)
    if order is None:
        raise HTTPException(404, f"there is no order {order_id}")
    run = await api.state.tn.find(process, dedupe_key=f"order {order_id}")
    return {"order": order.status, "process": await run.status()}


@api.post("/orders/{order_id}/approval", status_code=202)
async def approve(order_id: int, approval: Approval) -> None:
    run = await api.state.tn.find(process, dedupe_key=f"order {order_id}")
    if run is None:
        raise HTTPException(404, f"there is no order {order_id}")
    await run.signal("approval", approval.model_dump())
