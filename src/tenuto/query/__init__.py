"""Runs SELECTs over datasets: resolves what they read, then runs each in a sandboxed process of its own."""
