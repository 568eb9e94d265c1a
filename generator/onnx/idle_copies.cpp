#include "generator/onnx/idle_copies.h"

#include <algorithm>
#include <optional>

#include "generator/lowered/call_list.h"

namespace benanza::onnx {
namespace {

/// Moves neighbours to neighbours.
bool keeps_order(const Call& call) {
  const auto* copy = std::get_if<Copy>(&call.problem.shape);
  if (copy == nullptr || call.is_proxy || call.writes_part || call.to_offset != 0) return false;
  const Copy least = copy->canonical();
  return least.from == Dims{1} && least.to == Dims{1};
}

/// Elements of what a source names, all of it; empty if that has no shape.
std::optional<std::int64_t> elements_of(const NodeView& node, const std::vector<Call>& calls,
                                        const Source& source) {
  const auto index = static_cast<std::size_t>(source.index);
  if (source.kind == Source::Kind::call) {
    return element_count(results(calls[index].problem).front());
  }
  if (source.kind != Source::Kind::input || !node.has_input(index)) return std::nullopt;
  const Tensor& tensor = node.input(index);
  if (!tensor.shape) return std::nullopt;
  return element_count(*tensor.shape);
}

/// What a reader of the copy's result reads instead.
std::optional<Source> read_instead(const NodeView& node, const std::vector<Call>& calls,
                                   const Call& call) {
  Source source = call.operands.front();
  if (source.matrix_rows != 0) return std::nullopt;
  const auto all = elements_of(node, calls, source);
  if (!all) return std::nullopt;
  const std::int64_t moved = std::get<Copy>(call.problem.shape).moved_elements();
  if (source.part_from || moved != *all) {
    source.part_from = source.part_from.value_or(0) + call.from_offset;
  }
  return source;
}

/// The last call is a copy of all of the result before it, which then is the node's.
bool ends_with(const std::vector<Call>& calls, const Source& source) {
  const std::size_t last = calls.size() - 1;
  return source.kind == Source::Kind::call && source.is_whole() && source.scale == 1 &&
         static_cast<std::size_t>(source.index) + 1 == last &&
         calls[last - 1].output == calls[last].output &&
         !is_read({calls.begin(), calls.end() - 1}, last - 1);
}

}  // namespace

void drop_idle_copies(const NodeView& node, Lowered& lowered) {
  std::vector<Call>& calls = lowered.calls;
  if (lowered.cost != Cost::measured && lowered.cost != Cost::movement) return;
  for (std::size_t index = calls.size(); index-- > 0;) {
    if (!keeps_order(calls[index])) continue;
    const auto instead = read_instead(node, calls, calls[index]);
    if (!instead) continue;
    const bool alone = calls.size() == 1 && instead->kind == Source::Kind::input &&
                       instead->index == 0 && instead->is_whole();
    const bool last = index + 1 == calls.size();
    if (alone && node.output_count() == 1) {
      lowered = free_layer("leaves every element where it is");
      return;
    }
    const bool inner = !last && calls[index].output == calls.back().output && is_read(calls, index);
    if (inner || (last && index > 0 && ends_with(calls, *instead)))
      erase_call(calls, index, *instead);
  }
}

}  // namespace benanza::onnx
