#!/bin/sh
# Make the virtual environment $1 with the first Python that is new enough and can make one.
set -eu
for python in python3.13 python3.12 python3.11 python3.14 python3 python; do
  # Running it is the only proof: version managers leave commands behind that only print an error.
  if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
    exec "$python" -m venv --clear "$1"
  fi
done
echo "No Python 3.11 or newer with the venv module was found on PATH." >&2
echo "Install one (on Debian or Ubuntu: apt-get install python3 python3-venv) and run make again." >&2
exit 1
