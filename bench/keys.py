"""Measures the CPU time of checking an API key: `python bench/keys.py`. The target is at most 50 µs."""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import time

from tenuto.model.keys import API, Peppers, key_hashes, make_key, parse_key

ROUNDS = 50_000


def main() -> None:
    peppers = Peppers((b"n" * 32, b"o" * 32))
    texts = [make_key(API, "live").text for _ in range(100)]
    start = time.process_time()
    for no in range(ROUNDS):
        key = parse_key(texts[no % 100])
        assert key
        key_hashes(peppers, key.text)
    each = (time.process_time() - start) / ROUNDS
    print(f"checksum and two hashes of a key: {each * 1e6:.1f} µs of CPU")


if __name__ == "__main__":
    main()
