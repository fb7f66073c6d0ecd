"""Messages of exceptions."""

from tenuto.model.errors import message_of


def test_an_exception_without_a_message_is_named_by_its_class() -> None:
    assert message_of(OSError("no route to host")) == "no route to host"
    assert message_of(TimeoutError()) == "TimeoutError"
