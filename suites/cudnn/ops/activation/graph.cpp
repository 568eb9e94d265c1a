#include "suites/cudnn/graph/elementwise.h"
#include "suites/cudnn/graph/functions.h"
#include "suites/cudnn/ops/activation/activation.h"
#include "suites/cudnn/primitive/graph_solver.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

std::vector<GraphCall> activation_graphs(const Activation& shape, const harness::Variant& variant) {
  if (variant.precision == Precision::int8) {
    throw harness::Unsupported("int8 " + std::string(shape.op()) +
                               " needs a result scale of its own");
  }
  // Where the elements lie is of no matter.
  const nvidia::TensorFormat format =
      innermost_as_channels(variant.precision, as_matrix(element_count(shape.input)));
  GraphCall call;
  call.inputs = {format};
  call.output = format;
  call.bound = {call.graph.tensor(format), call.graph.tensor(format)};
  add_function(call.graph, shape, format, call.bound[0], call.bound[1]);
  std::vector<GraphCall> found;
  found.push_back(std::move(call));
  return found;
}

}  // namespace benanza::cudnn
