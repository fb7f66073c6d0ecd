"""Followers of changes against writers that commit when they like: every change is told, once, in order."""

import threading
from datetime import datetime
from uuid import UUID

import psycopg

from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start
from tests.support.waiting import wait_until

WRITERS, TRANSACTIONS = 4, 25


def write(database: str, ids: list[UUID]) -> None:
    """Starts that lie open for a while, some of them in statements that take long, and are committed or not."""
    with psycopg.connect(database) as conn:
        for no in range(TRANSACTIONS):
            began = start(conn, *range(3))
            conn.execute("select pg_sleep(random() * 0.06)")
            began += start(conn, kind={"type": "app.work", "priority": no})
            if no % 5 == 4:
                conn.rollback()
            else:
                conn.commit()
                ids.extend(began)


def complete(database: str, stop: threading.Event, ended: list[UUID]) -> None:
    with psycopg.connect(database, autocommit=True) as conn:
        worker = a_worker(conn, f"w{threading.get_ident()}")
        while (claims := worker.claim(7)) or not stop.is_set():
            worker.complete(*claims)
            ended.extend(claim.task_id for claim in claims)


class Follower:
    """Reads page by page, each up to what was settled before it."""

    def __init__(self, database: str) -> None:
        self._conn = psycopg.connect(database, autocommit=True)
        self.until: datetime = call(self._conn, "get_change_horizon")
        self._place = {"after": self.until, "after_id": "", "after_no": -1}
        self.told: list[tuple[datetime, str, int]] = []
        self.seen: list[tuple[str, str]] = []

    def read(self) -> None:
        self.until = call(self._conn, "get_change_horizon")
        found = call(self._conn, "list_changes", org_id=DEFAULT_ORG, until=self.until, limit=50, **self._place)
        for one in found:
            self.told.append((one["at"], one["id"], one["no"]))
            self.seen.append((one["kind"], one["id"]))
        if found:
            last = found[-1]
            self._place = {"after": last["at"], "after_id": last["id"], "after_no": last["no"]}

    def close(self) -> None:
        self._conn.close()


def test_every_change_is_told_once_and_in_order_whenever_it_commits(database: str, db: psycopg.Connection) -> None:
    start(db)  # the first of its type makes others wait
    follower = Follower(database)
    began: list[UUID] = []
    ended: list[UUID] = []
    stop = threading.Event()
    writers = [threading.Thread(target=write, args=[database, began]) for _ in range(WRITERS)]
    workers = [threading.Thread(target=complete, args=[database, stop, ended]) for _ in range(2)]
    for thread in (*writers, *workers):
        thread.start()
    while any(thread.is_alive() for thread in writers):
        follower.read()
    stop.set()
    for thread in (*writers, *workers):
        thread.join()

    def all_told() -> bool:
        follower.read()
        wanted = {("run", str(id)) for id in began} | {("task", str(id)) for id in ended}
        return wanted <= set(follower.seen)

    wait_until(all_told)
    follower.close()

    assert follower.told == sorted(set(follower.told))
    assert len(began) == WRITERS * (TRANSACTIONS - TRANSACTIONS // 5) * 4
