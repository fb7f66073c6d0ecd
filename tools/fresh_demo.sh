#!/usr/bin/env bash
# Run `make demo` as a newcomer does: a fresh clone, an empty home that only its owner can enter (as root's is), and
# nothing of this shell's environment. Root also tries it as the user nobody, where a Python for all users is installed.
set -euo pipefail
top=$(git rev-parse --show-toplevel)
keep=()
for name in PIP_CERT PIP_FIND_LINKS PIP_INDEX_URL PIP_DEFAULT_TIMEOUT SSL_CERT_FILE; do
  [ -z "${!name:-}" ] || keep+=("$name=${!name}")
done

demo() { # demo PATH [COMMAND that becomes another user]
  local path=$1 dir become=("${@:2}")
  dir=$(mktemp -d)
  chmod 755 "$dir"
  git clone --quiet "$top" "$dir/clone"
  mkdir -m 700 "$dir/home"
  [ "${#become[@]}" = 0 ] || chown -R nobody "$dir"
  local run=(${become[@]+"${become[@]}"} env -i "HOME=$dir/home" "PATH=$path" TERM=dumb ${keep[@]+"${keep[@]}"})
  local code=0
  (cd "$dir/clone" && "${run[@]}" make demo) || code=$?
  local data
  data=$(readlink "$dir/home/.local/share/tenuto/data" || true) # elsewhere, as root
  if pgrep --list-full --full "$dir${data:+|$data}"; then
    echo "make demo left these processes running" >&2
    code=1
  fi
  rm -rf "$dir" ${data:+"$(dirname "$data")"}
  return "$code"
}

demo "$PATH"
if [ "$(id -u)" = 0 ] && /usr/bin/python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'; then
  demo /usr/local/bin:/usr/bin:/bin runuser -u nobody --
fi
