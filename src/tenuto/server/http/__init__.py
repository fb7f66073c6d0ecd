"""The HTTP layer: routing, bodies, errors, middleware."""
