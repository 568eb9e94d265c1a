#include "suites/cudnn/ops/binary/binary.h"
#include "suites/cudnn/primitive/elementwise_graph.h"

namespace benanza::cudnn {

std::vector<GraphCall> binary_graphs(const Binary&, const harness::Variant& variant) {
  std::vector<GraphCall> found;
  found.push_back(elementwise_graph(variant));
  return found;
}

}  // namespace benanza::cudnn
