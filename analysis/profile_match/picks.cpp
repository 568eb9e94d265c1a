#include "analysis/profile_match/picks.h"

#include <cmath>
#include <set>

#include "analysis/model/algorithms.h"
#include "analysis/model/selection.h"
#include "analysis/profile_match/mapping.h"
#include "analysis/profile_match/same_model.h"
#include "core/library/kernel_name.h"
#include "core/problem/problem.h"
#include "core/problem/text.h"

namespace benanza::analysis {
namespace {

bool is_product_node(const ProfiledNode& node) {
  return node.op == "Conv" || node.op == "MatMul" || node.op == "ConvTranspose";
}

/// Prefers the name of a transform (Winograd, FFT), because its products are ordinary kernels.
std::string algorithm_of(const ProfiledNode& node) {
  std::string algorithm;
  for (const ProfiledKernel& kernel : node.kernels) {
    const KernelTraits traits = kernel_traits(kernel.name);
    const bool transform = multiplies_transforms(traits.algorithm);
    if (transform || algorithm.empty()) algorithm = traits.algorithm;
    if (transform) break;
  }
  return algorithm;
}

/// Returns the kernels that may do the product, separated by " + ".
std::string product_kernels(const ProfiledNode& node) {
  std::string text;
  for (const ProfiledKernel& kernel : node.kernels) {
    const KernelTraits traits = kernel_traits(kernel.name);
    if (traits.role != KernelRole::work) continue;
    if (traits.algorithm.empty() && !traits.tensor_cores) continue;
    text += (text.empty() ? "" : " + ") + kernel.name;
  }
  return text;
}

/// Returns true if a kernel uses them, false if all known ones do not, empty if none is known.
std::optional<bool> tensor_cores_of(const ProfiledNode& node) {
  std::optional<bool> used;
  for (const ProfiledKernel& kernel : node.kernels) {
    const std::optional<bool> one = kernel_traits(kernel.name).tensor_cores;
    if (one) used = used.value_or(false) || *one;
  }
  return used;
}

/// Among cuDNN's gemm algorithms and cuBLAS' products, returns the call whose time is closest to
/// that of the kernels that ran. Null if none is within a factor of two: then another library's
/// kernel ran.
const Measurement* nearest_product(const AlgorithmRow& row, const MeasurementSet& measurements,
                                   const MeasurementFilter& filter, double ran_seconds) {
  constexpr double alike = 2;
  const Precision precision = row.best == nullptr ? filter.precision : row.best->variant.precision;
  const Measurement* best = nullptr;
  double least = std::log(alike);
  for (const Measurement& measurement : measurements.find(row.key)) {
    if (measurement.status != Status::ok || !admits(filter, precision, measurement)) continue;
    const VariantName& variant = measurement.variant;
    if (variant.backend != "cublas" && !is_called(variant.algorithm, "gemm", true)) continue;
    const double distance = std::abs(std::log(measurement.seconds() / ran_seconds));
    if (distance > least) continue;
    least = distance;
    best = &measurement;
  }
  return best;
}

const Measurement* fastest_of(const AlgorithmRow& row, const MeasurementSet& measurements,
                              const MeasurementFilter& filter, const FrameworkPick& pick,
                              bool from_kernel) {
  const Precision precision = row.best == nullptr ? filter.precision : row.best->variant.precision;
  const Measurement* best = nullptr;
  for (const Measurement& measurement : measurements.find(row.key)) {
    if (measurement.status != Status::ok || !admits(filter, precision, measurement)) continue;
    if (!is_called(measurement.variant.algorithm, pick.algorithm, from_kernel)) continue;
    if (best == nullptr || measurement.seconds() < best->seconds()) best = &measurement;
  }
  return best;
}

}  // namespace

std::vector<FrameworkPick> framework_picks(const Graph& graph,
                                           const std::vector<AlgorithmRow>& rows,
                                           const MeasurementSet& measurements,
                                           const MeasurementFilter& filter, const Profile* profile,
                                           const std::vector<LibraryCall>& calls) {
  Mapping mapping;
  if (profile != nullptr) {
    mapping = map_layers(graph, profile->nodes);
    require_same_model(graph, mapping, *profile);
  }
  std::vector<std::optional<std::size_t>> call_of_layer(graph.layers.size());
  if (!calls.empty()) call_of_layer = calls_of_layers(graph, calls);

  std::vector<FrameworkPick> picks;
  std::set<std::size_t> seen;
  for (const AlgorithmRow& row : rows) {
    FrameworkPick& pick = picks.emplace_back();
    bool from_kernel = true;
    const bool convolution = asks_for<Convolution, Deconvolution>(row.key);
    if (profile != nullptr && mapping.node_of_layer[row.layer]) {
      const ProfiledNode& node = profile->nodes[*mapping.node_of_layer[row.layer]];
      if (is_product_node(node) && !node.kernels.empty()) {
        pick.ran_seconds = node.seconds;
        pick.again = !seen.insert(*mapping.node_of_layer[row.layer]).second;
        pick.tensor_cores = tensor_cores_of(node);
        pick.detail = product_kernels(node);
        if (convolution) pick.algorithm = algorithm_of(node);
      }
    }
    if (const auto& call = call_of_layer[row.layer]; call && !calls[*call].algorithm.empty()) {
      pick.detail = calls[*call].algorithm;
      // An engine number does not name an algorithm; the kernels may.
      if (convolution && pick.detail.find(' ') == std::string::npos) {
        pick.algorithm = pick.detail;
        from_kernel = false;
      }
    }
    if (pick.algorithm.empty()) continue;
    pick.measured =
        from_kernel && pick.algorithm == "gemm" && pick.ran_seconds && *pick.ran_seconds > 0
            ? nearest_product(row, measurements, filter, *pick.ran_seconds)
            : fastest_of(row, measurements, filter, pick, from_kernel);
    if (pick.measured != nullptr && row.best != nullptr) {
      pick.loss = pick.measured->seconds() - row.best->seconds();
    }
  }
  return picks;
}

PickTotals totals(const std::vector<AlgorithmRow>& rows, const std::vector<FrameworkPick>& picks) {
  PickTotals totals;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const FrameworkPick& pick = picks[i];
    if (pick.is_known() || pick.ran_seconds) ++totals.found;
    if (pick.loss) {
      ++totals.known;
      totals.loss_seconds += *pick.loss;
      if (*pick.loss > 0) ++totals.misses;
    }
    if (!pick.ran_seconds) continue;
    const double ran = pick.again ? 0 : *pick.ran_seconds;
    if (rows[i].best != nullptr) {
      ++totals.ran;
      totals.ran_seconds += ran;
      totals.best_seconds += rows[i].best->seconds();
    }
    if (!pick.tensor_cores) {
      totals.unknown_seconds += ran;
    } else if (*pick.tensor_cores) {
      ++totals.with;
      totals.with_seconds += ran;
    } else {
      ++totals.without;
      totals.without_seconds += ran;
    }
  }
  return totals;
}

}  // namespace benanza::analysis
