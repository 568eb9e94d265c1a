set -uo pipefail
say() { echo "$(date +%FT%T) ${SLURMD_NODENAME:-$(hostname)}: $*"; }
fail() {
  say "$*"
  exit 1
}
# A mark for scripts/slurm, made only when all is on disk.
finish() {
  if ! { mkdir -p "done" && echo "${2:-0}" >"done/.$1" && mv "done/.$1" "done/$1"; }; then
    fail "done/$1: cannot write"
  fi
  say "$1 is done"
}
cd "$folder" || fail "$folder: not there"
