#include "analysis/model/algorithms.h"

#include <algorithm>

#include "analysis/model/selection.h"

namespace benanza::analysis {
namespace {

constexpr std::string_view unpacked = "unpacked.";

bool is_product_key(std::string_view key) {
  const std::string_view op = key.substr(0, key.find('/'));
  return op == "conv" || op == "deconv" || op == "gemm";
}

}  // namespace

bool unpacks_weights(std::string_view algorithm) { return algorithm.starts_with(unpacked); }

std::string_view to_string(AlgorithmKind kind) {
  constexpr std::string_view names[] = {"matrix product", "implicit product or direct", "Winograd",
                                        "FFT"};
  return names[static_cast<std::size_t>(kind)];
}

AlgorithmKind kind_of(const VariantName& call) {
  std::string_view name = call.algorithm;
  if (unpacks_weights(name)) name.remove_prefix(unpacked.size());
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("winograd")) return AlgorithmKind::winograd;
  if (has("fft")) return AlgorithmKind::fft;
  const bool is_product = call.backend == "cublas" || name == "gemm" || name.starts_with("gemm:") ||
                          has(":gemm:") || name.starts_with("product.") ||
                          name.starts_with("inner_product.");
  return is_product ? AlgorithmKind::product : AlgorithmKind::direct;
}

bool is_called(std::string_view algorithm, std::string_view word, bool from_kernel) {
  algorithm = algorithm.substr(0, algorithm.find('.'));
  if (algorithm == word) return true;
  return from_kernel && ((word == "fft" && algorithm == "fft_tiling") ||
                         (word == "implicit_gemm" && algorithm == "implicit_precomp_gemm"));
}

std::optional<double> AlgorithmRow::heuristic_loss() const {
  if (best == nullptr || heuristic == nullptr) return std::nullopt;
  return heuristic->seconds() - best->seconds();
}

std::optional<double> AlgorithmRow::limit_loss() const {
  if (best == nullptr || unlimited == nullptr) return std::nullopt;
  return best->seconds() - unlimited->seconds();
}

std::vector<AlgorithmRow> algorithm_rows(const Graph& graph, const MeasurementSet& measurements,
                                         const MeasurementFilter& filter) {
  MeasurementFilter by_heuristic = filter;
  by_heuristic.policy = AlgorithmPolicy::heuristic;
  MeasurementFilter unlimited = filter;
  unlimited.max_workspace_bytes.reset();
  std::vector<AlgorithmRow> rows;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (graph.layers[layer].cost != Cost::measured) continue;
    for (const std::string& key : graph.layers[layer].problems) {
      if (!is_product_key(key)) continue;
      Precision precision = precision_of(graph.layers[layer], key, filter.precision);
      Selected best = select_measurement(key, measurements, filter, precision);
      if (best.best == nullptr && best.unsupported && filter.fallback) {
        precision = *filter.fallback;
        best = select_measurement(key, measurements, filter, precision);
      }
      AlgorithmRow row{.layer = layer, .key = key, .best = best.best, .reason = best.reason};
      row.unlimited = select_measurement(key, measurements, unlimited, precision).best;
      const Measurement* pick = select_measurement(key, measurements, by_heuristic, precision).best;
      if (pick != nullptr && pick->heuristic_rank) row.heuristic = pick;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::size_t leave_out_steps(std::vector<AlgorithmRow>& rows, const std::vector<LayerTime>& times) {
  return std::erase_if(rows, [&](const AlgorithmRow& row) {
    const LayerTime& time = times[row.layer];
    return time.status == LayerStatus::part || !time.does.empty();
  });
}

AlgorithmTotals totals(const std::vector<AlgorithmRow>& rows) {
  AlgorithmTotals totals{.products = rows.size()};
  for (const AlgorithmRow& row : rows) {
    if (row.best == nullptr) {
      ++totals.unmeasured;
      continue;
    }
    totals.best_seconds += row.best->seconds();
    totals.limit_loss_seconds += row.limit_loss().value_or(0);
    if (const auto loss = row.heuristic_loss()) {
      totals.heuristic_loss_seconds += *loss;
      if (*loss > 0) ++totals.heuristic_misses;
    } else {
      ++totals.unranked;
    }
  }
  return totals;
}

}  // namespace benanza::analysis
