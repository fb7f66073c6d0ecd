"""The tables of the shop, in the same database as Tenuto's. `python database.py` creates them and fills the stock."""

import asyncio
import os

from sqlalchemy import JSON, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def make_engine(url: str) -> AsyncEngine:
    # pool_pre_ping replaces connections that a restart of the database closed
    return create_async_engine(make_url(url).set(drivername="postgresql+psycopg"), pool_pre_ping=True)


engine = make_engine(os.environ.get("TENUTO_DATABASE_URL", "postgresql://"))  # connects on first use
sessions = async_sessionmaker(engine, expire_on_commit=False)


class Base(DeclarativeBase):
    pass


class Item(Base):
    __tablename__ = "items"

    name: Mapped[str] = mapped_column(primary_key=True)
    warehouse: Mapped[str]
    cents: Mapped[int]
    left: Mapped[int]


class Order(Base):
    __tablename__ = "orders"

    id: Mapped[int] = mapped_column(primary_key=True)
    customer: Mapped[str]
    items: Mapped[dict[str, int]] = mapped_column(JSON)  # the name of each item, and how many
    cents: Mapped[int]
    status: Mapped[str] = mapped_column(default="new")  # then "reserved", then "shipped" or "cancelled"


class Payment(Base):
    """What the payment provider did; see bank.py."""

    __tablename__ = "payments"

    key: Mapped[str] = mapped_column(primary_key=True)
    order_id: Mapped[int]
    cents: Mapped[int]  # negative: a refund
    requests: Mapped[int] = mapped_column(default=1)  # how often the shop asked for it


STOCK = {"tea": ("Kiel", 400, 1000), "cup": ("Kiel", 900, 1000), "teapot": ("Bremen", 12_000, 1000)}


async def create_tables() -> None:
    async with sessions.begin() as session:
        connection = await session.connection()
        await connection.run_sync(Base.metadata.create_all)
        for name, (warehouse, cents, left) in STOCK.items():
            await session.merge(Item(name=name, warehouse=warehouse, cents=cents, left=left))


if __name__ == "__main__":
    asyncio.run(create_tables())
