#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cuda/counters.h"
#include "cuda/kernels.h"
#include "cuda/options.h"

namespace benanza {

/// What --kernels and --counters add to a row. CUPTI is loaded when the first row asks; where it
/// cannot be used, rows say why, once it has failed it is not tried again.
class CudaProfiler {
 public:
  explicit CudaProfiler(const CudaOptions& options) : options_(options) {}

  /// Enqueues calls of a primitive as they were timed, and returns how many; 0 if it cannot.
  using Replay = std::function<std::int64_t()>;

  /// Runs `call`, one call of a primitive, some times more, or `replay` where that works.
  /// kernel_facts() and counter_facts() as asked for; "kernels_unavailable" and
  /// "counters_unavailable" with the reason. Throws what `call` and `replay` throw.
  Facts facts(const std::function<void()>& call, const Replay& replay);

 private:
  const Cupti& cupti();
  Facts kernels(const std::function<void()>& call, const Replay& replay);
  Facts counters(const std::function<void()>& call);

  CudaOptions options_;
  std::optional<Cupti> cupti_;
  std::unique_ptr<CounterPlan> plan_;
  std::string kernels_unavailable_;
  std::string counters_unavailable_;
};

}  // namespace benanza
