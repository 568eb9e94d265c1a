#include "suites/onednn/ways/threads.h"

#include <omp.h>

#include <string_view>
#include <variant>

#include "core/base/text.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {
namespace {

constexpr double most_flops_each = 2e6;
constexpr double most_bytes_each = 256 << 10;
constexpr double most_bytes_each_of_step = 512 << 10;
constexpr std::string_view suffix = ".threads=";

/// How much a thread may have to do for fewer threads to be worth a try.
bool is_little(const Work& cost, int threads, double most_bytes) {
  return cost.flops <= most_flops_each * threads &&
         static_cast<double>(cost.bytes()) <= most_bytes * threads;
}

/// Of a recurrence, the product of a step with its state, after which all threads wait for each
/// other. Its weights stay in a cache of each processor, so that there may be more of them.
bool is_little(const Problem& problem, Precision precision, int threads) {
  const auto* const recurrent = std::get_if<Recurrent>(&problem.shape);
  if (recurrent == nullptr) return is_little(work(problem, precision), threads, most_bytes_each);
  Recurrent step = *recurrent;
  step.steps = step.layers = step.input_size = 1;
  step.direction = RecurrentDirection::forward;
  return is_little(work({.shape = step, .epilogue = {}}, precision), threads,
                   most_bytes_each_of_step);
}

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
  std::vector<int> counts;
  for (int count = 1; count < omp_get_max_threads(); count *= 2) {
    if (set == harness::AlgorithmSet::leading && count > 1) break;
    if (set == harness::AlgorithmSet::with_reference || is_little(problem, precision, count)) {
      counts.push_back(count);
    }
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
