# To be sourced: run_with_onnxruntime NAME SCRIPT.py [ARGUMENT]... runs the script in the project's own virtual
# environment (.venv, or BENANZA_VENV), which has ONNX Runtime and is made on first use. NAME begins its messages.

run_with_onnxruntime() {
  local name=$1 script=$2 root
  shift 2
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  local requirements=$root/scripts/requirements.txt environment=${BENANZA_VENV:-$root/.venv}
  command -v python3 >/dev/null || fail_as "$name" "python3 is not installed: run scripts/install"
  exec 9<"$requirements"
  flock 9 # two at once would make the environment twice
  cmp -s "$requirements" "$environment/requirements.txt" || make_environment "$name" "$environment" "$requirements"
  exec 9>&-
  exec "$environment/bin/python" "$root/scripts/$script" "$@"
}

fail_as() {
  echo "$1: $2" >&2
  exit 1
}

make_environment() {
  local name=$1 environment=$2 requirements=$3 log
  log=$(mktemp "${TMPDIR:-/tmp}/benanza-venv.XXXXXX")
  echo "$name: making $environment (first use)" >&2
  rm -rf "$environment"
  python3 -m venv "$environment" >"$log" 2>&1 ||
    fail_as "$name" "cannot make $environment: install python3-venv (scripts/install does); see $log"
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" \
    >"$log" 2>&1 ||
    fail_as "$name" "cannot install $(grep -v '^#' "$requirements" | tr '\n' ' ')with pip: check the network or pip's index, then run again; see $log"
  cp "$requirements" "$environment/requirements.txt"
  rm -f "$log"
}
