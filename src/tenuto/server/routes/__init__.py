"""One module of routes for each context."""
