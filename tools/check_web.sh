#!/bin/sh
# Check the types and the style of the dashboard, and that the committed build is made of this source. Nothing is
# checked twice: a stamp names what was checked last.
set -eu
cd "$(dirname "$0")/../web"
BUILT=../src/tenuto/web/dist
unchecked() { # unchecked REASON
  echo "Dashboard: not checked, because $1" >&2
  [ -z "${CI:-}" ] # in CI everything is checked
  exit
}
command -v npm >/dev/null || unchecked "Node is not installed (Debian and Ubuntu: apt-get install nodejs npm)."
state=$(find . -path ./node_modules -prune -o -type f -exec sha256sum {} + | sort | sha256sum)
state="$state $(cd "$BUILT" && find . -type f -exec sha256sum {} + | sort | sha256sum)"
[ "$state" = "$(cat node_modules/.checked 2>/dev/null || true)" ] && echo "Dashboard: fresh." && exit 0
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm install --no-save --silent --prefer-offline ||
    unchecked "its packages could not be installed (npm install in web/ shows why)."
fi
npm run --silent check
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
TENUTO_WEB_OUT="$again" npm run --silent build -- --logLevel error
if ! diff -rq "$again" "$BUILT"; then
  echo "src/tenuto/web/dist is stale: run \`make web\`" >&2
  exit 1
fi
echo "$state" >node_modules/.checked
echo "Dashboard: fresh."
