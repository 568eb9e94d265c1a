#include "suites/cudnn/ops/graphs.h"

#include "suites/cudnn/api/descriptors.h"
#include "suites/cudnn/primitive/elementwise_graph.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {

std::vector<GraphCall> select_graphs(const Select&, const harness::Variant& variant) {
  std::vector<GraphCall> found;
  found.push_back(elementwise_graph(variant));
  found.push_back(elementwise_graph(variant, {.truths = TruthValues::bytes}));
  found.back().prefix = "bytes.";
  // At fp32 the listed configs fail to compile. Seen in versions 9.14 and 9.19.
  for (GraphCall& call : found) call.needs_defaults = element_bytes(variant.precision) == 4;
  return found;
}

void register_select(WayTable& table) {
  table.add(engines_of<Select>([](const Select& shape) { return image_layouts(shape.output()); },
                               select_graphs));
}

}  // namespace benanza::cudnn
