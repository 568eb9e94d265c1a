#pragma once

#include "generator/recording/call_fields.h"

namespace benanza::recorded {

/// What a recorded call is to the suites.
struct CallProblems {
  /// Calls that follow each other; empty where none of ours says it, and `reason` tells why.
  std::vector<Problem> problems{};
  std::string reason{};
  /// It only moves bytes.
  bool moves = false;
  std::optional<Precision> precision{};
  /// Tensors with gaps between their elements are taken as dense ones.
  bool taken_as_dense = false;
};

/// Never throws for a text that is not understood: that is a reason. Epsilons, and the alpha and k
/// of a local response normalization, are not in the log: taken at their usual values.
CallProblems problems_of_call(const CallText& text);

/// One function per kind of call, in the files kinds_*.cpp. Each throws Unsaid, or
/// std::invalid_argument where the text is not understood.
class Unsaid : public std::exception {
 public:
  explicit Unsaid(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

using Problems = std::vector<Problem>;
Problems convolution_problems(const CallFields& call);
Problems deconvolution_problems(const CallFields& call);
Problems inner_product_problems(const CallFields& call);
Problems matmul_problems(const CallFields& call);
Problems pooling_problems(const CallFields& call);
Problems eltwise_problems(const CallFields& call);
Problems binary_problems(const CallFields& call);
Problems prelu_problems(const CallFields& call);
Problems sum_problems(const CallFields& call);
Problems softmax_problems(const CallFields& call);
Problems batch_normalization_problems(const CallFields& call);
Problems layer_normalization_problems(const CallFields& call);
Problems lrn_problems(const CallFields& call);
Problems reduction_problems(const CallFields& call);
Problems resampling_problems(const CallFields& call);
Problems rnn_problems(const CallFields& call);
Problems reorder_problems(const CallFields& call);
Problems concat_problems(const CallFields& call);

/// The problem with the call's post-operations behind it. Throws Unsaid for one that no step is.
Problem with_post_operations(Problem problem, const CallFields& call);

/// The movement from one format to the other; nothing where a format pads, or the blocks of the two
/// have no common ones. Both tags are over the same axes.
std::optional<Copy> movement(const Dims& dims, const TensorText& from, const TensorText& to);

}  // namespace benanza::recorded
