#!/usr/bin/env bash
# Run a command as a newcomer does: in a fresh clone, with an empty home that only its owner can enter (as root's is), and
# with nothing of this shell's environment. No process may be left at the end.
#   tools/fresh_clone.sh [--as USER] COMMAND      for example: make demo
set -euo pipefail
become=() path=$PATH
if [ "$1" = --as ]; then
  become=(runuser -u "$2" --) path=/usr/local/bin:/usr/bin:/bin
  shift 2
fi
keep=()
for name in PIP_CERT PIP_FIND_LINKS PIP_INDEX_URL PIP_DEFAULT_TIMEOUT SSL_CERT_FILE NODE_EXTRA_CA_CERTS CI; do
  [ -z "${!name:-}" ] || keep+=("$name=${!name}")
done

dir=$(mktemp -d)
chmod 755 "$dir"
git clone --quiet "$(git rev-parse --show-toplevel)" "$dir/clone"
mkdir -m 700 "$dir/home"
[ "${#become[@]}" = 0 ] || chown -R "${become[2]}" "$dir"
run=(${become[@]+"${become[@]}"} env -i "HOME=$dir/home" "PATH=$path" TERM=dumb ${keep[@]+"${keep[@]}"})
code=0
(cd "$dir/clone" && "${run[@]}" bash -c "$*") || code=$?
# The data of each home; elsewhere, as root.
data=()
for link in "$dir"/clone/.demo/data "$dir"/home/.local/share/tenuto/{*,*/testing}/data; do
  [ ! -L "$link" ] || data+=("$(readlink "$link")")
done
if pgrep --list-full --full "$(IFS='|'; echo "$dir${data:+|${data[*]}}")"; then
  echo "$* left these processes running" >&2
  code=1
fi
rm -rf "$dir"
for folder in ${data[@]+"${data[@]}"}; do
  rm -rf "$(dirname "$folder")"
done
exit "$code"
