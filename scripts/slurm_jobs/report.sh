# The bounds as text, and everything as one HTML page.
graphs=()
for graph in graphs/*.graph.json; do graphs+=(--graph "$graph"); done
analyze() {
  local command=$1
  shift
  "$build/bin/benanza-analyze" "$command" "${graphs[@]}" --results results.db \
    --precision "$precisions" "$@"
}
partial=()
analyze bound >bound.txt || { partial=(--allow-missing); analyze bound --allow-missing >bound.txt; }
analyze report --out report.html "${partial[@]}" || fail "no report"
finish report
[[ ${#partial[@]} -eq 0 ]] || say "the report is not complete: the lines above say what is missing"
