#pragma once

#include <cudnn.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

namespace benanza::cudnn {

/// What the heuristics said of one algorithm.
struct HeuristicAnswer {
  /// 1 is the library's choice; algorithms that it finds unsupported have none.
  std::optional<int> rank;
  /// Whether the library says that it uses Tensor Cores; empty where its answer leaves it open.
  std::optional<bool> tensor_core_claimed;
};

/// `answers` (cudnnConvolutionFwdAlgoPerf_t, cudnnConvolutionBwdDataAlgoPerf_t) as the library gave
/// them, best first; an algorithm may occur once for each math type.
template <class Answer>
HeuristicAnswer answer_for(std::span<const Answer> answers, decltype(Answer::algo) algorithm) {
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

/// Algorithms 0 ... count - 1: ranked ones first, in their order, then the others.
template <class Answer>
std::vector<decltype(Answer::algo)> ordered_by_rank(std::span<const Answer> answers, int count) {
  std::vector<decltype(Answer::algo)> order;
  for (int i = 0; i < count; ++i) order.push_back(static_cast<decltype(Answer::algo)>(i));
  std::ranges::stable_sort(order, {}, [&](decltype(Answer::algo) algorithm) {
    return answer_for(answers, algorithm).rank.value_or(count + 1);
  });
  return order;
}

}  // namespace benanza::cudnn
