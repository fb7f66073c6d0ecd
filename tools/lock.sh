#!/bin/sh
# Pin requirements/*.txt and bench/peers/requirements.txt; no registry address and no path of this machine may enter them.
set -eu
export UV_CUSTOM_COMPILE_COMMAND="make lock"
for name in requirements/runtime requirements/demo requirements/dev bench/peers/requirements; do
  uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
    --overrides requirements/overrides.in --no-emit-index-url --no-emit-find-links --no-annotate "$@" \
    "$name.in" -o "$name.txt"
done
