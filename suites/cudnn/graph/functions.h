#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/problem/ops/binary.h"
#include "core/problem/step.h"
#include "suites/cudnn/graph/graph.h"

namespace benanza::cudnn {

/// How max(x, 0) is said: as the library's relu, which engines with a fixed epilogue know, or as a
/// maximum, which only engines that are compiled at run time take.
enum class Relu { function, maximum };

/// y = f(x), where x and y have the extents and order of `format`. Adds what it takes of the
/// library's functions. Throws Unsupported for a function that the library does not have.
void add_function(OperationGraph& graph, const Activation& function,
                  const nvidia::TensorFormat& format, OperationGraph::Id x, OperationGraph::Id y,
                  Relu relu = Relu::function);

/// y = op(a, b), a and b broadcast to y. Throws Unsupported for a comparison.
void add_operation(OperationGraph& graph, BinaryKind kind, const nvidia::TensorFormat& format_a,
                   const nvidia::TensorFormat& format_y, OperationGraph::Id a, OperationGraph::Id b,
                   OperationGraph::Id y);

/// Functions and operations one after the other, the tensors between them never in memory.
class Chain {
 public:
  /// Adds one step from the first tensor to the second.
  using Link = std::function<void(OperationGraph::Id, OperationGraph::Id)>;

  /// Every tensor has the extents and order of `format`.
  Chain(OperationGraph& graph, nvidia::TensorFormat format)
      : graph_(graph), format_(std::move(format)) {}

  void add(Link link) { links_.push_back(std::move(link)); }
  void add(BinaryKind kind, OperationGraph::Id operand);
  void add(const Activation& function, Relu relu);
  void add(const Combine& step, OperationGraph::Id operand);
  /// All of `steps`; `operand` makes the tensor of every Combine, in their order.
  void add(const std::vector<Step>& steps, const std::function<OperationGraph::Id(Dims)>& operand);
  /// All steps; the last one writes `result`. The first one reads none: OperationGraph::none.
  void finish(OperationGraph::Id result);

 private:
  OperationGraph& graph_;
  nvidia::TensorFormat format_;
  std::vector<Link> links_;
};

}  // namespace benanza::cudnn
