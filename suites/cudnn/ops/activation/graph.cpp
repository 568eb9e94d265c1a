#include "suites/cudnn/ops/activation/activation.h"
#include "suites/cudnn/primitive/elementwise_graph.h"

namespace benanza::cudnn {

std::vector<GraphCall> activation_graphs(const Activation&, const harness::Variant& variant) {
  std::vector<GraphCall> found;
  found.push_back(elementwise_graph(variant));
  return found;
}

}  // namespace benanza::cudnn
