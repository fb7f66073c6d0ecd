"""Transactions: a task starts together with the caller's own rows, or not at all.

In one terminal:  tenuto up examples/07_transaction.py
In another:       python examples/07_transaction.py

`place_order` is what a handler of FastAPI, Flask or Django would be: it gets a connection to its own database, which
Tenuto lives in too, writes its own table, starts a task, and commits both or neither.
"""

import psycopg

from tenuto import App, SyncClient

app = App("orders")


@app.task
def confirm(order_id: int, customer: str) -> str:
    return f"order {order_id} is confirmed to {customer}"


def place_order(conn: psycopg.Connection, tn: SyncClient, customer: str, amount: int) -> str:
    with conn.transaction():
        insert = "insert into orders (customer, amount) values (%s, %s) returning id"
        order_id = count(conn, insert, customer, amount)
        run = tn.start(confirm, order_id, customer, connection=conn)
        if amount <= 0:
            raise ValueError("the amount must be positive")  # takes back the order and the task
    return run.result(timeout=60)


def count(conn: psycopg.Connection, query: str, *values: object) -> int:
    row = conn.execute(query.encode(), values).fetchone()
    assert row is not None
    return row[0]


def main() -> None:
    with app.connect_sync() as tn, psycopg.connect(tn.url, autocommit=True) as conn:
        conn.execute("create temporary table orders (id int generated always as identity, customer text, amount int)")
        tasks = "select count(*) from tenuto.task_status where type = 'orders.confirm'"
        before = count(conn, tasks)
        print(place_order(conn, tn, "ada", 10))
        try:
            place_order(conn, tn, "bob", 0)
        except ValueError as error:
            print("refused:", error)
        print(count(conn, "select count(*) from orders"), "order,", count(conn, tasks) - before, "task")


if __name__ == "__main__":
    main()
