#pragma once

#include "record/logs/onednn/fields.h"
#include "record/logs/shared/log.h"

namespace benanza::record::onednn {

/// Never throws on text it does not understand; that becomes a reason. Epsilons, and the alpha and
/// k of a local response normalization, are not in the log and get their usual values.
CallProblems problems_of(const CallText& text);

/// Thrown by the functions for the kinds of calls (products.cpp, elementwise.cpp) if no problem
/// describes the call. They throw std::invalid_argument if the text is not understood.
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

/// Returns the problem followed by the call's post-operations. Throws Unsaid for one that no step
/// describes.
Problem with_post_operations(Problem problem, const CallFields& call);

/// Returns the copy from one format to the other; empty if a format pads, or if the block sizes of
/// the two formats do not divide each other. Both tags are over the same axes.
std::optional<Copy> movement(const Dims& dims, const TensorText& from, const TensorText& to);

}  // namespace benanza::record::onednn
