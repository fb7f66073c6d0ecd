#!/bin/sh
# Install the locked packages of file $2, then this project, into the virtual environment $1.
# The lock lists every package, so pip resolves nothing (--no-deps): older versions of pip otherwise look at the newest
# release of a package with extras, and refuse it because the lock has another one.
set -eu
echo "Installing the packages of $2 into $1; the first time this takes a minute …" >&2
"$1/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$2"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
