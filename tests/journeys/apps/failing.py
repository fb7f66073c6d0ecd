"""A task that fails in every attempt."""

from tenuto import App

app = App("failing")


@app.task
async def look_up(word: str) -> str:
    return {"present": "here"}[word]
