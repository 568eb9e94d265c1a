# Models become graphs, which name the problems to measure.
mkdir -p models graphs
if [[ " ${models[*]} " == *" zoo "* ]]; then
  mapfile -t models < <(printf '%s\n' "${models[@]}" | grep -vx zoo
                        "$build/bin/benanza-zoo" --list | awk 'NR > 1 { print $1 }')
fi
files=()
for model in "${models[@]}"; do
  if [[ $model != *.onnx ]]; then
    "$build/bin/benanza-zoo" "$model" -o "models/$model.onnx" || fail "$model: no such model"
    model=models/$model.onnx
  fi
  files+=("$model")
done
"$build/bin/benanza-generate" --out graphs --clean --skip-refused graphs/refused.txt \
  "${generate_flags[@]}" "${files[@]}" || fail "no graphs"
while IFS=$'\t' read -r model reason; do say "left out: $reason"; done <graphs/refused.txt
finish generate
