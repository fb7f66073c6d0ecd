#!/bin/sh
# Programs that tests start and pip does not bring: installed where that is possible, else named.
set -eu
PATH="$PATH:/usr/sbin"
command -v pgbouncer >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get install -y -q --no-install-recommends pgbouncer || {
    apt-get update -q
    apt-get install -y -q --no-install-recommends pgbouncer
  }
else
  echo "Some tests need PgBouncer and are skipped. To install it on Debian or Ubuntu: apt-get install pgbouncer" >&2
fi
