"""Text that came from anywhere."""


def clean(text: str) -> str:
    """The text without what Postgres cannot hold: NUL, and halves of surrogate pairs."""
    return text.replace("\x00", "\\0").encode("utf-8", "replace").decode()
