"""Map and reduce: many tasks side by side, one that takes what all of them gave; their progress is shown meanwhile.

In one terminal:  tenuto up examples/04_map_reduce.py
In another:       python examples/04_map_reduce.py
"""

import asyncio
from collections import Counter

from tenuto import App

app = App("words")

TEXT = """Tell me, Muse, of the man of many ways, who was driven far journeys
after he had sacked the sacred citadel of Troy. Many were they whose cities he saw
whose minds he learned of, many the pains he suffered in his spirit on the wide sea
struggling for his own life and the homecoming of his companions"""


@app.task
def count(line: str) -> dict[str, int]:
    return dict(Counter(line.lower().replace(",", "").replace(".", "").split()))


@app.task
def merge(counts: list[dict[str, int]]) -> list[tuple[str, int]]:
    return sum(map(Counter, counts), Counter[str]()).most_common(3)


async def main() -> None:
    async with app.connect() as tn:
        g = tn.graph("count words")
        g.add(merge, g.map(count, TEXT.splitlines()))
        run = await tn.start(g)
        async for step in run.progress():
            if step.over:
                print(f"{step.completed} of {step.total} tasks {step.status}")
        for word, times in await run.result(timeout=60):
            print(f"{times} × {word}")


if __name__ == "__main__":
    asyncio.run(main())
