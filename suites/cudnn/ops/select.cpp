#include "suites/cudnn/ops/select.h"

#include "suites/cudnn/api/shape.h"
#include "suites/cudnn/primitive/elementwise_graph.h"
#include "suites/cudnn/solvers.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// Whether the condition has several elements, but one for all along the innermost axis.
bool is_for_whole_rows(const Select& shape, Layout layout) {
  const Dims condition = memory_order(shape.condition, layout);
  const Dims result = memory_order(shape.output(), layout);
  if (element_count(condition) == 1) return false;
  for (std::size_t axis = result.size(); axis-- > 0;) {
    if (result[axis] != 1) return condition[axis] == 1;
  }
  return false;
}

}  // namespace

std::vector<GraphCall> select_graphs(const Select& shape, const harness::Variant& variant) {
  if (is_for_whole_rows(shape, variant.layout)) {
    throw harness::Unsupported("cuDNN selects whole rows wrongly");
  }
  std::vector<GraphCall> found;
  found.push_back(elementwise_graph(variant));
  found.push_back(elementwise_graph(variant, {.truths = TruthValues::bytes}));
  found.back().prefix = "bytes.";
  // At fp32 the listed configs fail to compile. Seen in versions 9.14 and 9.19.
  for (GraphCall& call : found) call.needs_defaults = element_bytes(variant.precision) == 4;
  return found;
}

void register_select(SolverTable& table) {
  table.add(graph_solver<Select>([](const Select& shape) { return image_layouts(shape.output()); },
                                 select_graphs));
}

}  // namespace benanza::cudnn
