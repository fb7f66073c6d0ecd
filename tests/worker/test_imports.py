"""A worker over HTTP does not need the database driver."""

import subprocess
import sys

MODULES = "tenuto.worker.main, tenuto.worker.process.main, tenuto.worker.backends.http"


def test_a_worker_over_http_imports_no_database_driver() -> None:
    code = f"import sys, {MODULES}; sys.exit('psycopg' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
