#include "analysis/model/planned_tensors.h"

#include <algorithm>

namespace benanza::analysis {

PlannedTensors::PlannedTensors(const DataFlow& flow, Precision precision, Plan& plan)
    : flow_(flow), precision_(precision), plan_(plan), alias_(flow.tensors.size()) {
  for (const FlowTensor& tensor : flow.tensors) {
    plan_.tensors.push_back({.name = tensor.name, .type = tensor.type, .shape = tensor.shape});
  }
  for (const FlowLayer& layer : flow.layers) {
    if (layer.view_of && !layer.outputs.empty()) alias_[layer.outputs.front()] = layer.view_of;
  }
}

bool PlannedTensors::is_constant(std::size_t tensor) const {
  return tensor < flow_.tensors.size() && flow_.tensors[tensor].constant;
}

std::size_t PlannedTensors::place(std::size_t tensor, std::int64_t elements) {
  if (const auto put = put_.find(tensor); put != put_.end()) {
    const std::size_t buffer = place(put->second.whole, 0);
    PlanTensor& one = plan_.tensors[tensor];
    one.buffer = buffer;
    one.offset = plan_.tensors[put->second.whole].offset + put->second.first;
    return buffer;
  }
  const auto part = parts_.find(tensor);
  const bool is_part = part != parts_.end();
  if (is_part || (tensor < alias_.size() && alias_[tensor])) {
    const auto [seen, first] = is_part ? part->second : Part{.whole = *alias_[tensor]};
    const std::size_t buffer = place(seen, is_part ? 0 : elements);
    const PlanTensor& whole = plan_.tensors[seen];
    PlanTensor& one = plan_.tensors[tensor];
    one.buffer = buffer;
    one.offset = whole.offset + first;
    one.part_of = whole.part_of;
    if (is_part && !one.part_of) one.part_of = seen;
    return buffer;
  }
  PlanTensor& one = plan_.tensors[tensor];
  if (!one.buffer) {
    one.buffer = plan_.buffers.size();
    plan_.buffers.emplace_back();
  }
  PlanBuffer& buffer = plan_.buffers[*one.buffer];
  const std::int64_t own = one.shape ? element_count(*one.shape) : 0;
  buffer.elements = std::max({buffer.elements, own + one.offset, elements});
  buffer.bytes = buffer.elements * planned_element_bytes(one.type, precision_);
  return *one.buffer;
}

void PlannedTensors::make_part(std::size_t result, std::size_t source, std::int64_t first) {
  parts_[result] = {source, first};
  place(result, 0);
}

void PlannedTensors::put_into(std::size_t part, std::size_t whole, std::int64_t first) {
  put_[part] = {whole, first};
}

std::size_t PlannedTensors::whole_of(std::size_t tensor) const {
  for (;;) {
    const auto part = parts_.find(tensor);
    if (part != parts_.end()) {
      tensor = part->second.whole;
    } else if (tensor < alias_.size() && alias_[tensor]) {
      tensor = *alias_[tensor];
    } else {
      return tensor;
    }
  }
}

std::size_t PlannedTensors::original(std::size_t tensor) const {
  while (tensor < alias_.size() && alias_[tensor]) tensor = *alias_[tensor];
  return tensor;
}

}  // namespace benanza::analysis
