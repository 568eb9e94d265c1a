# To be sourced: run_with_onnxruntime NAME SCRIPT.py [ARGUMENT]... runs the script in the project's own virtual
# environment (.venv, or BENANZA_VENV), which has ONNX Runtime. If there is none yet, PYTHON (default: python3) does if
# it has ONNX Runtime itself; otherwise the environment is made. NAME begins its messages.

run_with_onnxruntime() {
  local name=$1 script=$2 root
  shift 2
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  local requirements=$root/scripts/requirements.txt environment=${BENANZA_VENV:-$root/.venv}
  command -v python3 >/dev/null || fail_as "$name" "python3 is not installed: run scripts/install"
  exec 9<"$requirements"
  flock 9 # two at once would make the environment twice
  local python=$environment/bin/python
  if ! cmp -s "$requirements" "$environment/requirements.txt"; then
    if has_onnxruntime "${PYTHON:-python3}"; then
      python=${PYTHON:-python3}
    else
      make_environment "$name" "$environment" "$requirements"
    fi
  fi
  exec 9>&-
  exec "$python" "$root/scripts/$script" "$@"
}

# Version 1.20 or newer, with onnx and NumPy.
has_onnxruntime() {
  "$1" - >/dev/null 2>&1 <<'END'
import sys
import numpy, onnx, onnxruntime
sys.exit(tuple(map(int, onnxruntime.__version__.split(".")[:2])) < (1, 20))
END
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
