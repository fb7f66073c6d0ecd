"""FastAPI for the routes and what is said of them, with a shorter way to them."""

from fastapi import FastAPI
from starlette.types import ASGIApp

from tenuto.server.http.problems import ErrorHandler


class TenutoApp(FastAPI):
    """FastAPI puts four layers of its own around the routes: for errors that we answer elsewhere, and to close what
    none of our endpoints opens. They take longer than the work of most requests (bench/http.py)."""

    def build_middleware_stack(self) -> ASGIApp:
        app: ASGIApp = ErrorHandler(self.router, self.exception_handlers)
        for kind, args, said in reversed(self.user_middleware):
            app = kind(app, *args, **said)
        return app
