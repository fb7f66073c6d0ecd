"""Finds SELECTs that take sqlglot very long to parse: the time grows faster than the square of the longest chain of
calls and indexes, such as `a.trim().lower()[1]`."""

MAX_CHAIN = 32


def has_long_chain(sql: str) -> bool:
    """Returns whether a chain in the SELECT has more than 32 calls and indexes. Raises an error of sqlglot for a text
    that has no tokens."""
    from sqlglot import TokenType, tokenize

    links = [0]  # of the chain so far, for each open bracket
    for token in tokenize(sql, dialect="duckdb"):
        match token.token_type:
            case TokenType.L_PAREN | TokenType.L_BRACKET:
                links[-1] += 1
                if links[-1] > MAX_CHAIN:
                    return True
                links.append(0)
            case TokenType.R_PAREN | TokenType.R_BRACKET:
                if len(links) > 1:
                    links.pop()
            case TokenType.DOT | TokenType.VAR | TokenType.IDENTIFIER:
                pass
            case _:
                links[-1] = 0
    return False
