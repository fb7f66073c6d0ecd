"""How a worker reaches Tenuto: over SQL or over HTTP."""
