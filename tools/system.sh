#!/bin/sh
# Installs, where that is possible, what the tests use and pip does not bring; else names it and fails.
set -eu
PATH="$PATH:/usr/sbin"
missing=""
command -v pgbouncer >/dev/null || missing="$missing pgbouncer"
command -v chromium >/dev/null || missing="$missing chromium"
command -v npm >/dev/null || missing="$missing nodejs npm"
# A Python for all users, with which another user than root runs the demo.
/usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3 python3-venv"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086 - each name is an argument of its own
  apt-get install -y -q --no-install-recommends $missing || {
    apt-get update -q
    apt-get install -y -q --no-install-recommends $missing
  }
else
  echo "These programs are missing, and tests that use them are skipped:$missing" >&2
  echo "On Debian or Ubuntu: apt-get install$missing" >&2
  exit 1
fi
