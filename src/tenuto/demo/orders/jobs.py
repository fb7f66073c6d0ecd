"""The code of a DAG: `dag.yaml` beside this file says what runs when, from what, and into which datasets."""

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from tenuto import App

app = App("orders")
REGIONS = ("asia", "eu", "us")


@app.job
def extract(partition: str) -> list[dict[str, object]]:
    """Return the orders of one day. A real job would ask a shop; this one makes the same orders up every time."""
    made_up = random.Random(partition)  # noqa: S311
    day = datetime.fromisoformat(partition).replace(tzinfo=UTC)
    return [
        {
            "order_id": number,
            "ordered_at": day + timedelta(seconds=made_up.randrange(86_400)),
            "region": made_up.choice(REGIONS),
            "total": Decimal(made_up.randrange(100, 100_000)) / 100,
        }
        for number in range(1, 101)
    ]
