"""The shape of a query: its text without literals and comments, for the audit log.

Everything that may be a value is replaced, so that no value reaches the log. If a quote is not closed, all text after
it counts as one literal.
"""

import re

MAX_SHAPE_CHARS = 4096
LITERAL = "?"

_TOKEN = re.compile(
    r"""
    (?P<comment> --[^\n\r]* )
  | (?P<nested> /\* )
  | (?P<dollar> \$(?P<tag>[^\W\d]\w*)?\$.*?(?:(?(tag)\$(?P=tag)\$|\$\$)|\Z) )
  | (?P<escaped> [eE]'(?:[^'\\]|''|\\.)*(?:'|\Z) )
  | (?P<text> (?:[xXbBuU]&?)?'(?:[^']|'')*(?:'|\Z) )
  | (?P<name> "[^\W\d]\w*" )
  | (?P<quoted> "(?:[^"]|"")*(?:"|\Z) )
  | (?P<number> (?:\d[\w.]*|\.\d[\w.]*)(?:(?<=[eE])[+-]\d[\w.]*)? )
  | (?P<word> [^\W\d][\w$]* )
  | (?P<space> \s+ )
  | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/")


def shape_of(sql: str) -> str:
    """Return the text of a query with `?` in place of each literal, on one line."""
    parts: list[str] = []
    position = 0
    while token := _TOKEN.match(sql, position):
        position = _end_of_comment(sql, token.end()) if token.lastgroup == "nested" else token.end()
        match token.lastgroup:
            case "comment" | "nested" | "space":
                if parts and parts[-1] != " ":
                    parts.append(" ")
            case "name" | "word" | "other":
                parts.append(token[0])
            case _:
                parts.append(LITERAL)
    return "".join(parts).strip().replace("\0", "")[:MAX_SHAPE_CHARS]


def _end_of_comment(sql: str, position: int) -> int:
    """Return the end of the comment that began before this position; in DuckDB, comments nest."""
    depth = 1
    for mark in _COMMENT_MARK.finditer(sql, position):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(sql)
