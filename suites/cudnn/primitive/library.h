#pragma once

#include <cudnn.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/problem/problem.h"
#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/graph/plans.h"
#include "suites/harness/primitive.h"
#include "suites/harness/way_table.h"
#include "suites/nvidia/run/context.h"

namespace benanza::cudnn {

/// What the heuristics report about one algorithm.
struct HeuristicAnswer {
  /// 1 is the library's choice; unsupported algorithms have no rank.
  std::optional<int> rank;
  /// Whether the algorithm is reported to use Tensor Cores; empty if the answer does not say.
  std::optional<bool> tensor_core_claimed;
};

/// Looks up `algorithm` in `answers` (cudnnConvolutionFwdAlgoPerf_t,
/// cudnnConvolutionBwdDataAlgoPerf_t or cudnnConvolutionBwdFilterAlgoPerf_t) sorted best first; an
/// algorithm may occur once per math type.
template <class Answer>
HeuristicAnswer answer_for(const std::vector<Answer>& answers, decltype(Answer::algo) algorithm) {
  std::vector<decltype(Answer::algo)> ranked;
  for (const Answer& answer : answers) {
    if (answer.status != CUDNN_STATUS_SUCCESS) continue;
    if (std::ranges::find(ranked, answer.algo) != ranked.end()) continue;
    ranked.push_back(answer.algo);
    if (answer.algo != algorithm) continue;

    HeuristicAnswer found{.rank = static_cast<int>(ranked.size()), .tensor_core_claimed = {}};
    if (answer.mathType == CUDNN_FMA_MATH) {
      found.tensor_core_claimed = false;
    } else if (answer.mathType != CUDNN_DEFAULT_MATH) {
      found.tensor_core_claimed = true;
    }
    return found;
  }
  return {};
}

/// Returns algorithms 0 ... count - 1: ranked ones first, in order, then the others.
template <class Answer>
std::vector<decltype(Answer::algo)> ordered_by_rank(const std::vector<Answer>& answers, int count) {
  std::vector<decltype(Answer::algo)> order;
  for (int i = 0; i < count; ++i) order.push_back(static_cast<decltype(Answer::algo)>(i));
  std::ranges::stable_sort(order, {}, [&](decltype(Answer::algo) algorithm) {
    return answer_for(answers, algorithm).rank.value_or(count + 1);
  });
  return order;
}

/// Caches answers by problem, precision and layout, because a query takes longer than most layers
/// run, and every algorithm of a layer needs the same answer.
template <class Answer>
class HeuristicsCache {
 public:
  /// Returns the cached answer, or else calls ask(). The answer is empty, so that no algorithm has
  /// a rank, if the library refuses, or if there is no device; the latter is not cached.
  template <class Ask>
  const std::vector<Answer>& of(const harness::Variant& variant, Ask ask) {
    const std::string name = key(variant.problem) + ' ' +
                             std::string(to_string(variant.precision)) + ' ' +
                             std::string(to_string(variant.layout));
    const auto found = answers_.find(name);
    if (found != answers_.end()) return found->second;
    try {
      return answers_[name] = ask();
    } catch (const harness::Unsupported&) {
      return answers_[name];
    } catch (const harness::NoDevice&) {
      return none_;
    }
  }

 private:
  std::map<std::string, std::vector<Answer>> answers_;
  const std::vector<Answer> none_;
};

/// cuDNN on one GPU, opened on first use: its handle, bound to the context's stream, and caches of
/// its answers. Functions that open the GPU throw NoGpu if there is none.
class Library {
 public:
  /// `cuda` must outlive the library.
  explicit Library(nvidia::LazyContext& cuda) : cuda_(cuda) {}
  /// A library that only has graph plans: there is no device for anything else.
  Library(nvidia::LazyContext& cuda, Target target, std::unique_ptr<PlanBuilder> builder);

  nvidia::CudaContext& cuda();
  cudnnHandle_t handle();
  GraphPlans& graph_plans();

  /// Throws std::runtime_error, naming both sizes, if the user allows less than `bytes`.
  void check_workspace(std::int64_t bytes) const;

  /// Of one direction of convolutions: cudnnConvolutionFwdAlgoPerf_t, BwdData or BwdFilter.
  template <class Answer>
  HeuristicsCache<Answer>& heuristics() {
    return std::get<HeuristicsCache<Answer>>(heuristics_);
  }

 private:
  nvidia::LazyContext& cuda_;
  bool has_device_ = true;
  LibraryHandle handle_;
  std::optional<GraphPlans> graph_plans_;
  std::tuple<HeuristicsCache<cudnnConvolutionFwdAlgoPerf_t>,
             HeuristicsCache<cudnnConvolutionBwdDataAlgoPerf_t>,
             HeuristicsCache<cudnnConvolutionBwdFilterAlgoPerf_t>>
      heuristics_;
};

using WayTable = harness::WayTable<Library>;

/// The ways of all operators: every ops/X.cpp and ops/X/X.cpp defines register_X(WayTable&). Plain
/// matrix products are left to cuBLAS.
WayTable way_table();

}  // namespace benanza::cudnn
