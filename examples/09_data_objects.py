"""Data objects and run data: bytes of any size beside the arguments, and values that the tasks of a run share.

In one terminal:  tenuto up examples/09_data_objects.py
In another:       python examples/09_data_objects.py
"""

import asyncio
import zlib

from tenuto import App, Context, DataObject

app = App("archive")


@app.task
async def pack(ctx: Context, name: str, content: DataObject) -> DataObject:
    data = await ctx.get(content)
    packed = zlib.compress(data)
    ctx.data[f"saved.{name}"] = len(data) - len(packed)  # seen by the whole run, and by the client that started it
    return await ctx.put(packed, type="zlib")


@app.task
async def total(ctx: Context, packed: list[DataObject]) -> int:
    saved = await ctx.data.find("saved.*")
    ctx.log.info("%d objects, saved %s", len(packed), saved)
    return sum(saved.values())


@app.task
async def big() -> list[int]:
    return list(range(500_000))  # a result too large for a row is kept as a data object: nobody has to know


async def main() -> None:
    async with app.connect() as tn:
        texts = {"zeros": bytes(3_000_000), "words": b"the same again and again " * 1000}
        g = tn.graph("pack")
        packed = [g.add(pack, name, await tn.put(content)) for name, content in texts.items()]
        last = g.add(total, packed)
        g.output(last, *packed)
        run = await tn.start(g)
        saved, first, _ = await run.result(timeout=60)
        print(f"saved {saved:,} bytes:", await run.data.find("saved.*"))
        print("unpacked again:", zlib.decompress(await tn.get(first)) == texts["zeros"])
        print("sum of a big result:", sum(await (await tn.start(big)).result(timeout=60)))


if __name__ == "__main__":
    asyncio.run(main())
