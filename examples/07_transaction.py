"""Transactions: a task starts together with the caller's own rows, or not at all.

In one terminal:  tenuto up examples/07_transaction.py
In another:       python examples/07_transaction.py

`place_order` is what a handler of FastAPI, Flask or Django would be: it gets a connection to its own database, which
Tenuto lives in too, starts a task, writes its own table, and commits both or neither.
"""

import psycopg
from psycopg.errors import CheckViolation

from tenuto import App, SyncClient, SyncRun

app = App("orders")


@app.task
def confirm(order: int) -> str:
    return f"order {order} is confirmed"


def place_order(conn: psycopg.Connection, tn: SyncClient, order: int, amount: int) -> SyncRun[str]:
    with conn.transaction():  # commits the order and its task, or neither
        run = tn.start(confirm, order, connection=conn)
        conn.execute("insert into orders values (%s, %s)", (order, amount))
    return run


def count(conn: psycopg.Connection, query: str) -> int:
    row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def main() -> None:
    with app.connect_sync() as tn, psycopg.connect(tn.url, autocommit=True) as conn:
        conn.execute(
            "create temporary table orders (id int, amount int constraint amount_is_positive check (amount > 0))"
        )
        tasks = "select count(*) from tenuto.task_status where type = 'orders.confirm'"
        before = count(conn, tasks)
        print(place_order(conn, tn, 1, amount=10).result(timeout=60))
        try:
            place_order(conn, tn, 2, amount=0)
        except CheckViolation as error:
            print("refused:", error.diag.constraint_name)
        print(count(conn, "select count(*) from orders"), "order,", count(conn, tasks) - before, "task")


if __name__ == "__main__":
    main()
