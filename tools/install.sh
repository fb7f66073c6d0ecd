#!/bin/sh
# Put the locked packages of file $2, then this project, into the virtual environment $1.
set -eu
echo "Installing the packages of $2 into $1; the first time this takes a minute …" >&2
"$1/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$2"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
