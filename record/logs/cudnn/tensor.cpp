#include "record/logs/cudnn/tensor.h"

#include <algorithm>
#include <utility>

namespace benanza::record {
namespace {

/// The layout of a tensor with more than one channel, from the stride of its channels.
std::optional<Layout> layout_of(const Dims& extents, const Dims& strides) {
  if (extents.size() < 3 || strides.size() != extents.size() || extents[1] == 1)
    return std::nullopt;
  return strides[1] == 1 ? Layout::nhwc : Layout::nchw;
}

}  // namespace

Tensor tensor(const Entry& entry, std::initializer_list<std::string_view> tensors) {
  for (const std::string_view name : tensors) {
    const std::string path(name);
    Tensor found{.extents = dims(entry.value(path + ".dimA"))};
    if (found.extents.empty()) continue;
    std::string_view type = entry.value(path + ".dataType");
    if (type.empty()) type = entry.value(path + ".type");
    found.type = type_name(type);
    found.data = precision(type);
    found.strides = dims(entry.value(path + ".strideA"));
    found.layout = layout_of(found.extents, found.strides);
    found.name = path;
    return found;
  }
  return {};
}

bool Tensor::has_gaps() const {
  if (strides.size() != extents.size()) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] != 1) axes.emplace_back(strides[axis], extents[axis]);
  }
  std::ranges::sort(axes);
  std::int64_t dense = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride != dense) return true;
    dense *= extent;
  }
  return false;
}

std::string unsaid_types(const std::vector<Tensor>& operands) {
  const Tensor& first = operands.front();
  if (!first.type.empty() && !first.data) return "operands of " + std::string(first.type);
  for (const Tensor& tensor : operands) {
    const bool is_same = tensor.type == first.type ||
                         (first.type == "UINT8" && tensor.type == "INT8") || tensor.type.empty();
    if (!is_same && !first.type.empty()) {
      return tensor.name + " of " + std::string(tensor.type) + " beside one of " +
             std::string(first.type);
    }
  }
  return "";
}

}  // namespace benanza::record
