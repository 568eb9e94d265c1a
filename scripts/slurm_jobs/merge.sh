# All shards in one database; refused if they are of different hardware.
for ((shard = 1; shard <= shards; ++shard)); do
  for suite in "${suites[@]}"; do
    [[ -e done/$suite.${shard}of$shards ]] || fail "shard $shard of $suite is not measured"
  done
done
rm -f results.db.new
"$build/bin/benanza-analyze" db import results.db.new results || fail "the shards do not fit together"
mv results.db.new results.db
finish merge
