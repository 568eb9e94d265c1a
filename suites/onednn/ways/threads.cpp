#include "suites/onednn/ways/threads.h"

#include <omp.h>

#include <string_view>

#include "core/base/text.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {
namespace {

constexpr double most_flops_each = 2e6;
constexpr double most_bytes_each = 256 << 10;
constexpr std::string_view suffix = ".threads=";

}  // namespace

ThreadCount::ThreadCount(std::optional<int> threads) {
  if (!threads) return;
  before_ = omp_get_max_threads();
  omp_set_num_threads(*threads);
}

ThreadCount::~ThreadCount() {
  if (before_) omp_set_num_threads(*before_);
}

std::vector<int> fewer_threads(const Problem& problem, Precision precision,
                               harness::AlgorithmSet set) {
  if (set == harness::AlgorithmSet::best || dnnl_version()->cpu_runtime != DNNL_RUNTIME_OMP) {
    return {};
  }
  const Work cost = work(problem, precision);
  std::vector<int> counts;
  for (int count = 1; count < omp_get_max_threads(); count *= 2) {
    const bool is_little = cost.flops <= most_flops_each * count &&
                           static_cast<double>(cost.bytes()) <= most_bytes_each * count;
    if (set == harness::AlgorithmSet::leading && count > 1) break;
    if (is_little || set == harness::AlgorithmSet::with_reference) counts.push_back(count);
  }
  return counts;
}

harness::Algorithm to_string(const ThreadedName& name) {
  if (!name.threads) return name.implementation;
  return name.implementation + std::string(suffix) + std::to_string(*name.threads);
}

ThreadedName threaded_name(const harness::Algorithm& name) {
  const std::size_t at = name.rfind(suffix);
  if (at == harness::Algorithm::npos) return {name};
  const auto threads = text::number<int>(std::string_view(name).substr(at + suffix.size()));
  if (!threads || *threads < 1) return {name};
  return {name.substr(0, at), threads};
}

}  // namespace benanza::onednn
