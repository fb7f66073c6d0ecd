"""Small SQL trees to install, written file by file."""

from pathlib import Path


class Tree:
    """A folder of SQL files that starts with one table and one function."""

    def __init__(self, root: Path):
        self.root = root
        self.write("tables/shared.sql", "create table tenuto.things (id int primary key);")
        self.write("shared/one.sql", function("one", returns="int", body="select 1"))

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def remove(self, path: str) -> None:
        (self.root / path).unlink()


def function(name: str, *, body: str, returns: str = "int", parameters: str = "", schema: str = "tenuto") -> str:
    return f"create or replace function {schema}.{name}({parameters}) returns {returns} language sql as $$ {body} $$;"


def view(name: str, query: str = "select 1 as x") -> str:
    return f"create or replace view {name} as {query};"


def trigger(name: str, function: str = "tenuto.one", *, trigger: str = "refuses", event: str = "insert") -> str:
    """A trigger of a view, which does its writes."""
    return f"""
create or replace trigger {trigger} instead of {event} on {name} for each row execute function {function}();"""
