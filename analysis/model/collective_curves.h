#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/input/results.h"
#include "analysis/model/iteration.h"
#include "analysis/model/layer_time.h"
#include "core/problem/ops/collective.h"

namespace benanza::analysis {

/// Seconds, by the bytes of the largest tensor of a rank.
using CurvePoints = std::map<double, double>;

/// The time of a collective, interpolated between the measured sizes: log(seconds) is linear in
/// log(bytes) between two neighbours. One line alpha + beta * bytes through all of them would be
/// off by 10% and more where a library changes its algorithm with the size. NCCL is up to a fifth
/// faster at powers of two than at the sizes between them, so a size is estimated from sizes of its
/// kind (powers of two, or others) where both neighbours of that kind are within a factor of 4 of
/// each other, else from all.
class CollectiveCurve {
 public:
  /// Throws std::invalid_argument unless there is at least one point and all are positive.
  explicit CollectiveCurve(CurvePoints points);

  /// Empty outside the measured sizes: no extrapolation.
  std::optional<double> seconds(double bytes) const;

  const CurvePoints& points() const { return points_; }
  double least_bytes() const { return points_.begin()->first; }
  double most_bytes() const { return points_.rbegin()->first; }

 private:
  struct Point {
    double bytes = 0;
    double seconds = 0;
  };
  /// The nearest wanted points below and above, if there are both.
  std::optional<std::pair<Point, Point>> neighbours(
      double bytes, const std::function<bool(double)>& wanted) const;

  CurvePoints points_;
};

/// Returns estimate / measured by size, for every size but the first and the last, each left out in
/// turn and estimated from the others.
std::map<double, double> leave_one_out(const CollectiveCurve& curve);

/// A network given by its parameters: seconds = alpha + beta * bytes.
struct AlphaBeta {
  double alpha_seconds = 0;
  double seconds_per_byte = 0;
  bool operator==(const AlphaBeta&) const = default;
};

/// The time of a ring all-reduce of `bytes` between `nodes` over a given network: 2 (n - 1) steps,
/// in each of which every node sends a part of 1 / n (P. Patarasuk, X. Yuan, "Bandwidth optimal
/// all-reduce algorithms for clusters of workstations", JPDC 2009). 0 for one node.
double ring_all_reduce_seconds(const AlphaBeta& network, double nodes, double bytes);

/// The cost of messages by a curve. Messages below the smallest measured size take as long as that
/// one; for messages above the largest, the cost throws Error, naming `what` and the sizes.
CommunicationCost cost_of(CollectiveCurve curve, std::string what);

/// Bytes per second, as nccl-tests' algorithm bandwidth; for the bus bandwidth see bus_factor().
inline double algorithm_bandwidth(double bytes, double seconds) { return bytes / seconds; }

/// The measured collectives at one precision.
struct CollectiveCurves {
  /// By kind and number of ranks.
  std::map<std::pair<CollectiveKind, std::int64_t>, CollectiveCurve> curves{};
  /// For example "nccl"; empty if there is no curve.
  std::string backend{};

  /// Returns null if it was not measured.
  const CollectiveCurve* find(CollectiveKind kind, std::int64_t ranks) const;
  /// The numbers of ranks for which `kind` was measured, ascending.
  std::vector<std::int64_t> ranks_of(CollectiveKind kind) const;
};

/// The fastest algorithm of each size, with warm caches. `backend`: only its rows; if empty, throws
/// Error (one line) if there are rows of several backends.
CollectiveCurves collective_curves(const MeasurementSet& measurements, Precision precision,
                                   const std::string& backend);

/// Whether a layer of collectives alone lacks a measurement: of its size, or at all.
bool lacks_collectives(const Graph& graph, const std::vector<LayerTime>& times);

/// Gives such layers the time that `curves` have between measured sizes, with a note. Those of
/// other ranks, or of sizes outside the measured ones, stay as they are.
void estimate_collectives(const Graph& graph, const CollectiveCurves& curves, Precision precision,
                          std::vector<LayerTime>& times);

}  // namespace benanza::analysis
