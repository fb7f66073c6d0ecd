"""Response bodies about tasks."""

from tenuto.server.schemas.base import ResponseModel


class ExplanationResponse(ResponseModel):
    """One sentence that explains why a task does not run, where it runs, or how it ended."""

    why: str
