#pragma once

#include <regex.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/backend.h"

namespace benanza::harness {

/// The filter of --benchmark_filter, with Google Benchmark's semantics: an extended regular
/// expression searched for anywhere in the name; a leading '-' negates it; empty and "all" match
/// every name.
class NameFilter {
 public:
  /// Throws Error if `pattern` is not a regular expression.
  explicit NameFilter(std::string_view pattern);

  bool matches(const std::string& name) const;
  /// Returns false only if no name that starts with `prefix` can match, so that callers can skip
  /// the expensive last part of a name. Uses only the literal prefix of patterns that start with
  /// '^'.
  bool may_match(std::string_view prefix) const;

 private:
  bool negative_ = false;
  /// Prefix of every matching name.
  std::string literal_prefix_;
  struct Free {
    void operator()(regex_t* expression) const noexcept;
  };
  /// Null if every name matches.
  std::unique_ptr<regex_t, Free> expression_;
};

/// The part of a run's problems that one process measures: shard `index` of `count`, counted from
/// 1.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// Parses e.g. "2/8". Throws Error naming --shard for anything else, including 0/8 and 9/8.
Shard parse_shard(std::string_view text);

/// Expected seconds for one repetition of the variants of `problem`: those of `set`, in
/// `combinations` of precision and layout. Independent of any device, so that all machines agree.
/// Only the proportions matter.
double predicted_seconds(const Problem& problem, std::size_t combinations, AlgorithmSet set);

/// A problem to be assigned to a shard.
struct ShardItem {
  std::string key;
  double seconds = 0;
};

/// Returns the shard, counted from 0, of every item. Items are assigned in descending order of
/// time, each to the shard its key prefers (rendezvous hashing), or to the next one in its order of
/// preference if that shard would exceed 1.1 times the mean: consistent hashing with bounded loads
/// (Mirrokni, Thorup, Zadimoghaddam, SODA 2018). So shards take about equally long, and few items
/// move when others are added. An item that fits nowhere goes to the least loaded shard. Depends
/// only on the set of items, not on their order.
std::vector<std::size_t> assign_shards(std::span<const ShardItem> items, std::size_t count);

}  // namespace benanza::harness
