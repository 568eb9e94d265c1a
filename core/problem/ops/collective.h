#pragma once

#include <optional>

#include "core/problem/operand.h"

namespace benanza {

/// all_reduce: every rank gets the sum of all ranks' tensors. all_gather: every rank gets all
/// ranks' parts, concatenated. reduce_scatter: rank r gets part r of the sum. broadcast: every rank
/// gets rank 0's tensor. all_to_all: rank r gets part r of every rank's tensor, in rank order.
enum class CollectiveKind { all_reduce, all_gather, reduce_scatter, broadcast, all_to_all };
inline constexpr CollectiveKind all_collectives[] = {
    CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
    CollectiveKind::broadcast, CollectiveKind::all_to_all};
std::string_view to_string(CollectiveKind kind);
std::optional<CollectiveKind> parse_collective(std::string_view text);

/// A collective operation of `ranks` processes or devices. `elements`: of the largest tensor of a
/// rank, operand or result; if the operation works on parts, it is divided evenly among the ranks.
/// Keys: all_reduce/1048576_r2, reduce_scatter/1048576_r8
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::int64_t elements = 0;
  std::int64_t ranks = 2;

  bool operator==(const Collective&) const = default;

  static constexpr bool takes_steps = false;
  static bool owns(std::string_view op) { return parse_collective(op).has_value(); }
  std::string_view op() const { return to_string(kind); }
  void map(KeyFields& fields);

  /// Per rank.
  std::int64_t sent_elements() const;
  std::int64_t received_elements() const;

  /// More than any machine has.
  static constexpr std::int64_t most_ranks = std::int64_t{1} << 20;
  /// One for each sending rank.
  std::vector<Operand> inputs() const;
  /// What each rank receives, in rank order.
  Dims output() const { return {ranks, received_elements()}; }
  /// The additions of all ranks, if none is done twice.
  double flops() const;
  std::int64_t reduction_length() const;
};

/// Bus bandwidth over algorithm bandwidth, as nccl-tests define them (doc/PERFORMANCE.md there).
/// Algorithm bandwidth is the largest tensor's bytes over time; bus bandwidth is what every link
/// carries at least, which can be compared with the hardware for any number of ranks: 2 (n - 1) / n
/// for all_reduce, (n - 1) / n if there are parts, 1 for broadcast.
double bus_factor(CollectiveKind kind, std::int64_t ranks);

}  // namespace benanza
