"""Running `tenuto` as a person does: as a process, with an environment."""

import os
import subprocess
import sys
from pathlib import Path

TENUTO = Path(sys.executable).with_name("tenuto")


def tenuto(*arguments: str, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    return subprocess.run(
        [TENUTO, *arguments],
        env={**clean, **{name: str(value) for name, value in environment.items()}, "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
