#include "analysis/model/prepared_layers.h"

#include <algorithm>

#include "core/plan_file/plan.h"

namespace benanza::analysis {
namespace {

class Search {
 public:
  Search(const Graph& graph, const DataFlow& flow)
      : graph_(graph), flow_(flow), found_(flow.layers.size(), false) {}

  std::vector<bool> run() {
    for (std::size_t layer = 0; layer < found_.size(); ++layer) found_[layer] = prepares(layer);
    return found_;
  }

 private:
  bool prepares(std::size_t index) const {
    const FlowLayer& layer = flow_.layers[index];
    if (layer.outputs.empty()) return false;
    if (layer.view_of) return is_prepared(*layer.view_of);
    if (layer.calls.empty() || graph_.layers[index].cost == Cost::free) return false;
    const bool makes_floats = std::ranges::any_of(
        layer.outputs, [&](std::size_t made) { return is_float(flow_.tensors[made].type); });
    bool any = false;
    for (const FlowCall& call : layer.calls) {
      if (call.gather && makes_floats) return false;
      for (const FlowOperand& operand : call.operands) {
        if (operand.kind != FlowOperand::Kind::tensor) continue;
        const FlowTensor& read = flow_.tensors[operand.index];
        const bool is_number = read.shape && element_count(*read.shape) == 1;
        if (read.constant ? makes_floats && !is_number : !is_prepared(operand.index)) return false;
        any = any || !read.constant;
      }
    }
    return any;
  }

  bool is_prepared(std::size_t tensor) const {
    const FlowTensor& one = flow_.tensors[tensor];
    if (one.layer) return found_[*one.layer];
    return !one.constant && (is_index_type(one.type) || one.type == "bool");
  }

  const Graph& graph_;
  const DataFlow& flow_;
  std::vector<bool> found_;
};

}  // namespace

std::vector<bool> prepared_layers(const Graph& graph, const DataFlow& flow) {
  return Search(graph, flow).run();
}

}  // namespace benanza::analysis
