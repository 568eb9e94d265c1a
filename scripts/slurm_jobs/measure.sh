# One shard of every suite's problems. What has been measured is kept row by row: a job that ends early
# is queued again, here or by Slurm, and goes on, on whichever node.
shard=$SLURM_ARRAY_TASK_ID
graphs=()
for graph in graphs/*.graph.json; do graphs+=("--graph=$graph"); done
mkdir -p system progress results

suite_pid='' signalled='' time_is_up=no ended=no
on_signal() {
  signalled=yes
  [[ -z $suite_pid ]] || kill -TERM "$suite_pid" 2>/dev/null
}
# Slurm's warning before the time limit, and the end of the job: the suite then ends after the measurement
# at hand.
trap 'time_is_up=yes; on_signal' USR1
trap 'ended=yes; on_signal' TERM

# Bytes of results: more of them is progress.
measured() { cat results/*."${shard}of$shards".json{,.journal} 2>/dev/null | wc -c; }

# Returns the suite's exit status.
run_suite() {
  local status
  "$build/bin/bench_$1" "${graphs[@]}" "--shard=$shard/$shards" "--precision=$precisions" \
    "--one-system=system/$1.json" "--progress=progress/$2.json" "--benchmark_out=results/$2.json" \
    --benchmark_repetitions=5 --processes=5 --budget=0.02 "${suite_flags[@]}" >/dev/null &
  suite_pid=$!
  while signalled=''; wait "$suite_pid"; status=$?; [[ -n $signalled ]]; do :; done
  suite_pid=''
  return $status
}

queue_again() {
  if [[ $(measured) == "$at_start" ]]; then
    fail "nothing was measured within the time limit; give more: scripts/slurm resume ... -- --time=..."
  fi
  say "time is up: queued again"
  # SLURM_JOB_ID of the array's last task is the array's own number: all of it would be queued again.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" || fail "could not be queued again: scripts/slurm resume does it"
  # Slurm ends this job now.
  sleep 600
  exit 1
}

measure_suite() {
  local suite=$1 part=$1.${shard}of$shards status before idle=0
  while [[ ! -e done/$part ]]; do
    [[ $time_is_up == no ]] || queue_again
    before=$(measured)
    run_suite "$suite" "$part"
    status=$?
    case $status in
      0 | 2) finish "$part" "$status"; return ;;
      3 | 77) fail "bench_$suite cannot measure here (the line above says why)" ;;
    esac
    [[ $ended == no ]] || { say "ended by Slurm"; exit 143; }
    [[ $time_is_up == no ]] || continue
    # A crash or a lost device: the next run goes on without the variant that did it.
    if [[ $(measured) == "$before" ]]; then
      [[ $((++idle)) -lt 3 ]] || fail "bench_$suite ended with status $status, three times in a row"
      sleep "$pause"
    else
      idle=0
    fi
  done
}

say "shard $shard of $shards, start number $((${SLURM_RESTART_COUNT:-0} + 1))"
at_start=$(measured)
for suite in "${suites[@]}"; do measure_suite "$suite"; done
