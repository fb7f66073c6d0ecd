"""An app that takes its time to be imported where its tasks run in processes of their own."""

import sys

from tenuto import App
from tests.journeys.apps.world import at_gate_sync

app = App("slow_import")

main = sys.modules["__main__"].__spec__
if main is not None and main.name == "tenuto.runtimes.process_child":
    at_gate_sync("imported")


@app.task(executor="process")
def quick() -> str:
    return "done"
