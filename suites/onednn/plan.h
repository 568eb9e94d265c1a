#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/onednn/variant_context.h"

namespace benanza::onednn {

/// One implementation the library offers; most kinds of primitive can go on to the next one.
class Implementation {
 public:
  /// A kind with one implementation.
  explicit Implementation(const dnnl::primitive_desc_base& descriptor) : current_(descriptor) {}
  /// A kind with a list of them. `operation`, which the descriptor was made from, is kept: the
  /// library goes on reading it.
  Implementation(const dnnl::primitive_desc& descriptor, std::shared_ptr<const void> operation)
      : current_(descriptor), list_(descriptor), operation_(std::move(operation)) {}

  const dnnl::primitive_desc_base& current() const { return current_; }
  /// The library's name of it: "jit:avx2".
  std::string name() const { return current_.impl_info_str(); }
  /// False, and nothing changes, after the last implementation.
  bool next();

 private:
  dnnl::primitive_desc_base current_;
  std::optional<dnnl::primitive_desc> list_;
  std::shared_ptr<const void> operation_;
};

/// The library's implementations of an operation of a kind, e.g. dnnl::matmul.
template <class Kind>
Implementation implementation_of(const typename Kind::desc& operation,
                                 const dnnl::primitive_attr& attributes,
                                 const dnnl::engine& engine) {
  auto kept = std::make_shared<const typename Kind::desc>(operation);
  return {typename Kind::primitive_desc(*kept, attributes, engine), kept};
}

/// A tensor of the problem as an argument of the library's call. `values` says where each element
/// of the library's tensor lies in the problem's row-major floats.
struct Argument {
  int id = 0;  // DNNL_ARG_*
  Memory::desc values;
  /// Where no strides can say it: makes the floats that `values` describes of the problem's (of a
  /// result: the other way round). Done when values are uploaded or downloaded.
  std::function<std::vector<float>(std::span<const float>)> rearrange = nullptr;
  /// The call finds it in its result, and overwrites it.
  bool in_result = false;
};

/// A call that computes the problem. `operands` are in the order of inputs(problem).
struct Plan {
  Implementation implementation;
  std::vector<Argument> operands;
  Argument result;
  /// Results that follow the first one in the problem's floats.
  std::vector<Argument> further_results = {};
  /// DNNL_ARG_* that the library wants and the problem does not have: all zeros.
  std::vector<int> zeros = {};
};

/// One way to ask the library: makes the descriptor, throws dnnl::error or Unsupported if refused.
/// `prefix` sets its implementations' names apart from those of the problem's other ways.
struct Attempt {
  std::string prefix;
  std::function<Plan()> plan;
  /// Why the implementation that `plan` is at does not compute this problem although the library
  /// offers it; empty for all that do.
  std::function<std::string(const Plan& plan)> defect = nullptr;
};

}  // namespace benanza::onednn
