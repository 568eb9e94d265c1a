#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/model/iteration.h"

namespace benanza::analysis {

/// Seconds by the bytes of the largest tensor of a rank.
using CurvePoints = std::map<double, double>;

/// What a collective takes between the sizes that were measured: log(seconds) is linear in
/// log(bytes) between two neighbours. A line alpha + beta * bytes through all of them would be off
/// by 10% and more where a library changes its algorithm with the size.
class CollectiveCurve {
 public:
  /// At least one point, all positive. Throws std::invalid_argument for others.
  explicit CollectiveCurve(CurvePoints points);

  /// Empty for sizes outside of what was measured: that would be extrapolation.
  std::optional<double> seconds(double bytes) const;

  const CurvePoints& points() const { return points_; }
  double least_bytes() const { return points_.begin()->first; }
  double most_bytes() const { return points_.rbegin()->first; }

 private:
  CurvePoints points_;
};

/// estimate / measured of every size but the first and the last, left out in turn and estimated
/// from the others; by size.
std::map<double, double> leave_one_out(const CollectiveCurve& curve);

/// A stated network: seconds = alpha + beta * bytes.
struct AlphaBeta {
  double alpha_seconds = 0;
  double seconds_per_byte = 0;
  bool operator==(const AlphaBeta&) const = default;
};

/// An all-reduce of `bytes` between `nodes` over a stated network, by a ring: 2 (n - 1) steps, in
/// each of which every node sends a part of 1 / n (P. Patarasuk, X. Yuan, "Bandwidth optimal
/// all-reduce algorithms for clusters of workstations", JPDC 2009). 0 for one node.
double ring_all_reduce_seconds(const AlphaBeta& network, double nodes, double bytes);

/// The cost of messages by a curve. A message that is smaller than what was measured takes as long
/// as the smallest that was; the cost throws Error, naming `what` and the sizes, for a larger one.
CommunicationCost cost_of(CollectiveCurve curve, std::string what);

/// Bytes that a collective moves in a second, as nccl-tests count: see bus_factor() for the bus.
inline double algorithm_bandwidth(double bytes, double seconds) { return bytes / seconds; }

}  // namespace benanza::analysis
