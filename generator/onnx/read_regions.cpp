#include "generator/onnx/read_regions.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "generator/onnx/model/node_view.h"

namespace benanza::onnx {
namespace {

/// More are not kept: what they read is then not counted.
constexpr std::int64_t most_runs = 1 << 20;

/// The model's input that `value` is, or holds under another shape, or the concatenation that it
/// holds so; null if it is none.
const Value* behind_reshapes(const Program& program, const Value* value) {
  constexpr std::string_view reshaping[] = {"Flatten", "Reshape", "Squeeze", "Unsqueeze"};
  while (value != nullptr && !value->given && !value->constant && value->producer) {
    const Step& step = program.steps[*value->producer];
    if (!step.node.domain().empty() || step.inputs.empty()) return nullptr;
    if (step.node.op_type() == "Concat") break;
    if (std::ranges::find(reshaping, step.node.op_type()) == std::end(reshaping)) return nullptr;
    value = step.inputs[0];
  }
  return value != nullptr && !value->constant && value->shape ? value : nullptr;
}

/// What `runs` have of elements `from` to before `from` + `length` of every `block`, as places in a
/// tensor of these alone.
ReadRegions::Runs runs_of_part(const ReadRegions::Runs& runs, std::int64_t block, std::int64_t from,
                               std::int64_t length) {
  ReadRegions::Runs found;
  if (length == 0) return found;
  for (const auto& [first, last] : runs) {
    for (std::int64_t index = first / block; index * block < last; ++index) {
      const std::int64_t begin = index * block + from;
      const std::int64_t to = index * length - begin;
      const std::int64_t low = std::max(first, begin);
      const std::int64_t high = std::min(last, begin + length);
      if (low < high) found.emplace_back(low + to, high + to);
      if (std::ssize(found) > most_runs) return {};
    }
  }
  return found;
}

}  // namespace

void ReadRegions::add(const Value* value, std::int64_t from, const Dims& dims,
                      const Dims& strides) {
  if (std::ranges::any_of(strides, [](auto stride) { return stride < 0; })) return;
  if (behind_reshapes(program_, value) == nullptr) return;
  std::int64_t length = 1;
  std::size_t axes = dims.size();
  for (; axes > 0 && (strides[axes - 1] == length || dims[axes - 1] == 1); --axes) {
    length *= dims[axes - 1];
  }
  std::vector<std::int64_t> starts{from};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (strides[axis] == 0) continue;
    if (std::ssize(starts) * dims[axis] > most_runs) return;
    std::vector<std::int64_t> more;
    more.reserve(starts.size() * static_cast<std::size_t>(dims[axis]));
    for (const std::int64_t start : starts) {
      for (std::int64_t i = 0; i < dims[axis]; ++i) more.push_back(start + i * strides[axis]);
    }
    starts = std::move(more);
  }
  Runs runs;
  for (const std::int64_t start : starts) runs.emplace_back(start, start + length);
  add_runs(value, std::move(runs));
}

void ReadRegions::add_runs(const Value* value, Runs runs) {
  constexpr int most_parts = 1000;
  std::vector<std::pair<const Value*, Runs>> open{{value, std::move(runs)}};
  for (int count = 0; !open.empty() && count < most_parts; ++count) {
    const auto [next, read] = std::move(open.back());
    open.pop_back();
    const Value* const shown = behind_reshapes(program_, next);
    if (shown == nullptr) continue;
    if (shown->given) {
      Runs& all = runs_[shown];
      all.insert(all.end(), read.begin(), read.end());
      continue;
    }
    if (!shown->producer) continue;
    const Step& concat = program_.steps[*shown->producer];
    const Dims& dims = *shown->shape;
    if (element_count(dims) == 0) continue;
    if (std::ssize(read) * std::ssize(concat.inputs) > most_runs) continue;
    const auto axis = NodeView::axis(concat.node.integer("axis", 1), dims.size());
    const std::int64_t inner = dense_strides(dims)[static_cast<std::size_t>(axis)];
    const std::int64_t block = dims[static_cast<std::size_t>(axis)] * inner;
    std::int64_t from = 0;
    for (const Value* part : concat.inputs) {
      if (part == nullptr || !part->shape || part->shape->size() != dims.size()) break;
      const std::int64_t length = (*part->shape)[static_cast<std::size_t>(axis)] * inner;
      Runs own = runs_of_part(read, block, from, length);
      if (!own.empty()) open.emplace_back(part, std::move(own));
      from += length;
    }
  }
}

void ReadRegions::add_operand(std::size_t index, const Call& call, std::size_t operand) {
  const Source& source = call.operands[operand];
  const std::vector<Value*>& inputs = program_.steps[index].inputs;
  const auto place = static_cast<std::size_t>(source.index);
  if (call.is_proxy || source.kind != Source::Kind::input || place >= inputs.size()) return;
  const std::int64_t from = source.part_from.value_or(0);
  if (const auto* const copy = std::get_if<Copy>(&call.problem.shape)) {
    if (!source.strides.empty() || source.matrix_rows != 0) return;
    return add(inputs[place], from + call.from_offset, copy->dims, copy->from);
  }
  if (source.is_whole() || source.matrix_rows != 0) return;
  const Dims dims = benanza::inputs(call.problem)[operand].dims;
  add(inputs[place], from, dims, source.strides.empty() ? dense_strides(dims) : source.strides);
}

void ReadRegions::add_picked(const Value& value) {
  const std::size_t index = *value.producer;
  const std::vector<Value*>& outputs = program_.steps[index].outputs;
  for (const Call& call : layers_[index].calls) {
    const auto output = static_cast<std::size_t>(call.output);
    if (output < outputs.size() && outputs[output] == &value &&
        std::holds_alternative<Copy>(call.problem.shape)) {
      add_operand(index, call, 0);
    }
  }
}

std::map<const Value*, std::int64_t> ReadRegions::counts() const {
  std::map<const Value*, std::int64_t> counts;
  for (auto [input, runs] : runs_) {
    std::ranges::sort(runs);
    std::int64_t end = 0;
    std::int64_t count = 0;
    for (const auto& [first, last] : runs) {
      count += std::max<std::int64_t>(0, last - std::max(first, end));
      end = std::max(end, last);
    }
    counts[input] = count;
  }
  return counts;
}

}  // namespace benanza::onnx
