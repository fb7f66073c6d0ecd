"""The shape of a query: its text without literals and comments, for the audit log.

A word that is not understood is left out, so that no value reaches the log: whatever follows an open quote is one
literal.
"""

import re

MAX_SHAPE_CHARS = 4096
LITERAL = "?"

_TOKEN = re.compile(
    r"""
    (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) )
  | (?P<dollar> \$(?P<tag>[^\W\d]\w*)?\$.*?(?:\$(?P=tag)?\$|\Z) )
  | (?P<escaped> [eE]'(?:[^'\\]|''|\\.)*(?:'|\Z) )
  | (?P<text> (?:[xXbBuU]&?)?'(?:[^']|'')*(?:'|\Z) )
  | (?P<name> "(?:[^"]|"")*" )
  | (?P<broken> ".*\Z )
  | (?P<number> (?:\d[\w.]*|\.\d[\w.]*)(?:(?<=[eE])[+-]\d[\w.]*)? )
  | (?P<word> [^\W\d]\w* )
  | (?P<space> \s+ )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def shape_of(sql: str) -> str:
    """Return the text of a query with `?` in place of each literal, on one line."""
    parts: list[str] = []
    for token in _TOKEN.finditer(sql):
        match token.lastgroup:
            case "comment" | "space":
                if parts and parts[-1] != " ":
                    parts.append(" ")
            case "name" | "word" | "other":
                parts.append(token[0])
            case _:
                parts.append(LITERAL)
    return "".join(parts).strip().replace("\0", "")[:MAX_SHAPE_CHARS]
