"""The app whose tasks `tenuto bench` starts."""

from tenuto import App

app = App("tenuto_bench")


@app.task(queue="tenuto-bench")
async def nothing(number: int) -> None:
    """Does nothing."""
