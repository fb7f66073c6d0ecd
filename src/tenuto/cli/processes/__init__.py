"""Starts the long-running processes behind `tenuto up`, `server`, `worker` and `dispatcher`."""
