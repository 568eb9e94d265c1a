#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/problem/epilogue.h"
#include "core/problem/ops/binary.h"
#include "suites/cudnn/graph/graph.h"

namespace benanza::cudnn {

/// How max(x, 0) is expressed: as the library's relu, which engines with fixed epilogues support,
/// or as a maximum, which only engines compiled at run time support.
enum class Relu { function, maximum };

/// Adds the operations for y = f(x); x and y have the extents and order of `format`. Throws
/// Unsupported for a function that the library does not have.
void add_function(OperationGraph& graph, const Activation& function,
                  const nvidia::TensorFormat& format, OperationGraph::Id x, OperationGraph::Id y,
                  Relu relu = Relu::function);

/// How a comparison yields 1 or 0: its booleans select between the two, or are stored as numbers.
enum class Comparison { chooses, stored };

/// Adds y = op(a, b), with a and b broadcast to y.
void add_operation(OperationGraph& graph, BinaryKind kind, const nvidia::TensorFormat& format_a,
                   const nvidia::TensorFormat& format_y, OperationGraph::Id a, OperationGraph::Id b,
                   OperationGraph::Id y, Comparison comparison = Comparison::chooses);

/// The condition value that selects the first alternative.
enum class Chosen { where_one, where_zero };

/// Adds y = a where `chosen` holds, y = b elsewhere, all broadcast to y. The condition is a numeric
/// tensor in the order of `format_condition`. The library refuses a and b that are both tensors and
/// both broadcast.
void add_selection(OperationGraph& graph, const nvidia::TensorFormat& format_condition,
                   const nvidia::TensorFormat& format_y, OperationGraph::Id condition,
                   OperationGraph::Id a, OperationGraph::Id b, OperationGraph::Id y,
                   Chosen chosen = Chosen::where_one);

/// A chain of functions and operations whose intermediate tensors are virtual (never in memory).
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
  /// Adds all of `steps`; `operand` is called for every Combine, in order, to create its tensor.
  void add(const std::vector<Step>& steps, const std::function<OperationGraph::Id(Dims)>& operand);
  /// Adds all steps to the graph; the last one writes `result`, the first one reads
  /// OperationGraph::none.
  void finish(OperationGraph::Id result);

 private:
  OperationGraph& graph_;
  nvidia::TensorFormat format_;
  std::vector<Link> links_;
};

}  // namespace benanza::cudnn
