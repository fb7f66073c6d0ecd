"""`tn.runs`: lists runs, and retries, cancels and deletes those that a filter selects; `start_many` by name."""

import asyncio
from typing import Any

import psycopg
import pytest

from tenuto import App
from tenuto.db.connection.errors import RowRejected
from tenuto.model.errors import InvalidInput
from tenuto.testing.inline import InlineWorker

app = App("bank")


@app.task(max_attempts=1)
def pay(amount: int) -> int:
    if amount < 0:
        raise ValueError("negative")
    return amount


def work(database: str) -> None:
    async def all_of_it() -> None:
        async with app.connect(database) as tn:
            await InlineWorker(tn.direct, app).work(most=100)

    asyncio.run(all_of_it())


def test_runs_are_retried_cancelled_and_deleted_by_filter(way, database):
    with app.connect_sync(**way) as tn:
        many = tn.start_many("bank.pay", [-1, -2, 3])
        work(database)
        assert [run.status() for run in many] == ["failed", "failed", "completed"]
        bad = [run.id for run in many][1::-1]

        assert [run.id for run in tn.runs(status="failed", since="1h")] == bad
        errors: Any = [run.error for run in tn.runs(status="failed")]
        assert [error["message"] for error in errors] == ["negative", "negative"]
        assert tn.runs.retry(type="bank.pay", since="1h", dry_run=True).run_ids == bad
        retried = tn.runs.retry(type="bank.pay", since="1h")
        assert (retried.run_ids, retried.refused) == (bad, [])
        assert [tn.run(id).status() for id in retried.new_run_ids] == ["pending", "pending"]
        refused = tn.runs.retry(status="completed").refused
        assert [item.id for item in refused] == [many[2].id]

        cancelled = tn.runs.cancel(type="bank.pay", reason="closed")
        assert sorted(cancelled.run_ids) == sorted(retried.new_run_ids)
        assert {run.cancel_reason for run in tn.runs(status="cancelled")} == {"closed"}
        assert len(tn.runs.delete(type="bank.pay").run_ids) == 5
        waiting = tn.start(pay, 1)
        assert tn.purge_queue("default") == [waiting.id]
        for change in (tn.runs.retry, tn.runs.cancel, tn.runs.delete):
            with pytest.raises(InvalidInput, match="a filter without any condition"):
                change()


def test_an_error_in_a_later_piece_names_the_runs_of_the_pieces_before_it(database):
    refuse_oldest = """
        create function public.refuse() returns trigger language plpgsql as $$ begin raise 'disk full'; end $$;
        create trigger refuse before delete on tenuto.runs for each row when (old.id = '{}')
          execute function public.refuse()"""
    with app.connect_sync(database) as tn, psycopg.connect(database, autocommit=True) as db:
        ids = [run.id for run in tn.start_many("bank.pay", range(101))]
        assert tn.runs.cancel(type="bank.pay").run_ids == ids[::-1]
        db.execute(refuse_oldest.format(ids[0]).encode())
        try:
            with pytest.raises(RowRejected, match="disk full") as caught:
                tn.runs.delete(type="bank.pay")
        finally:
            db.execute("drop function public.refuse cascade")

        assert caught.value.__notes__ == [f"done before this error: 100 runs ({', '.join(map(str, ids[:0:-1]))})"]
        assert [run.id for run in tn.runs(most=200)] == ids[:1]
