#!/bin/sh
# Programs that tests start and pip does not bring: installed where that is possible, else named.
set -eu
PATH="$PATH:/usr/sbin"
missing=""
for program in pgbouncer chromium; do
  command -v "$program" >/dev/null || missing="$missing $program"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086 - each name is an argument of its own
  apt-get install -y -q --no-install-recommends $missing || {
    apt-get update -q
    apt-get install -y -q --no-install-recommends $missing
  }
else
  echo "Some tests are skipped, because these programs are missing:$missing." >&2
  echo "To install them on Debian or Ubuntu: apt-get install$missing" >&2
fi
