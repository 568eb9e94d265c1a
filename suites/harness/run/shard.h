#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/backend.h"

namespace benanza::harness {

/// The part of a run's problems that one process measures: number `index`, from 1, of `count`.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// "2/8". Throws Error naming --shard for anything else, 0/8 and 9/8 included.
Shard parse_shard(std::string_view text);

/// Seconds that one repetition of the variants of `problem` is expected to take: those of `set`, in
/// `combinations` of precision and layout. Known without a device, so that every machine expects
/// the same. Only proportions matter.
double predicted_seconds(const Problem& problem, std::size_t combinations, AlgorithmSet set);

/// A problem to be given to a shard.
struct ShardItem {
  std::string key;
  double seconds = 0;
};

/// The shard, from 0, of every item. The longest come first, each to the shard that its key prefers
/// (rendezvous hashing), or to the next in its order of preference where that one would get more
/// than 1.1 times the mean: consistent hashing with bounded loads (Mirrokni, Thorup, Zadimoghaddam,
/// SODA 2018). So shards take about as long as each other, and few items change theirs when others
/// are added. An item that fits nowhere goes to the shard with the least. Depends on the set of
/// items alone, not on their order.
std::vector<std::size_t> assign_shards(std::span<const ShardItem> items, std::size_t count);

}  // namespace benanza::harness
