"""Measures the overhead of layered graphs: `python -m bench.layers [--quick] [--save]`.

One worker runs graphs of empty tasks in layers. Each task receives the outputs of two tasks of the layer before, or of
all of them ("full"). Figures: seconds from the first claim of the run to its end, milliseconds per layer, tasks/s.
"""

import os
import subprocess
import sys
from pathlib import Path

from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto import App

TENUTO = Path(sys.executable).with_name("tenuto")
SOURCE = """from tenuto import App
app = App("layers")
@app.task
async def work(*inputs: int) -> int:
    return 1
"""
SHAPES = {"chain of 200": (200, 1, 1), "100 x 10": (100, 10, 2), "20 x 100": (20, 100, 2), "20 x 30 full": (20, 30, 30)}

app = App("layers")


@app.task
async def work(*inputs: int) -> int:
    """Stands in for the task of the same name that the worker runs."""
    return len(inputs)


def main() -> None:
    options = read_options(__doc__, quick="a tenth of the layers")
    with own_server() as (url, home):
        (home / "layers_app.py").write_text(SOURCE)
        environment = {**os.environ, "TENUTO_DATABASE_URL": url, "TENUTO_HOME": str(home), "PYTHONPATH": str(home)}
        command = [TENUTO, "worker", "layers_app:app"]
        worker = subprocess.Popen(
            command, env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            result: dict[str, object] = facts(url)
            _measure(url, layers=3, width=3, inputs=2)  # warms the worker up
            for name, (layers, width, inputs) in SHAPES.items():
                layers = layers // 10 if options.quick else layers
                result[name] = _measure(url, layers=layers, width=width, inputs=inputs)
        finally:
            worker.terminate()
            worker.wait()
    report("layers", result, options)


def _measure(url: str, *, layers: int, width: int, inputs: int) -> dict[str, float]:
    """Run one graph in which each task reads `inputs` tasks of the layer before; return its times."""
    with app.connect_sync(url=url) as tn:
        graph = tn.graph("layers")
        layer = [graph.add(work) for _ in range(width)]
        for _ in range(layers - 1):
            layer = [graph.add(work, *[layer[(no + step) % width] for step in range(inputs)]) for no in range(width)]
        run = tn.start(graph)
        run.result(timeout=600)
        seconds = run.info().duration_seconds or 0.0
    return {
        "tasks": layers * width,
        "seconds": round(seconds, 3),
        "ms_per_layer": round(1000 * seconds / layers, 2),
        "tasks_per_s": round(layers * width / seconds),
    }


if __name__ == "__main__":
    main()
