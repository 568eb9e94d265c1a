#include "generator/onnx/read_parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "generator/onnx/byte_conversions.h"
#include "generator/onnx/infer/assume.h"
#include "generator/onnx/model/node_view.h"
#include "generator/onnx/stored.h"

namespace benanza::onnx {
namespace {

/// What a Gather or GatherND reads at least of its first input: one slice, which it may pick
/// several times, of each table of a batch. Empty for other steps.
std::optional<Share> least_picked(const Step& step, const Dims& dims) {
  const bool is_runtimes = step.node.domain() == "com.microsoft";
  if (step.node.op_type() == "Gather" && step.node.domain().empty() && !dims.empty()) {
    const auto axis = NodeView::axis(step.node.integer("axis", 0), dims.size());
    return Share{1, std::max<std::int64_t>(1, dims[static_cast<std::size_t>(axis)])};
  }
  if (step.node.op_type() != "GatherND" || (!step.node.domain().empty() && !is_runtimes)) return {};
  const Value* const indices = step.inputs.size() > 1 ? step.inputs[1] : nullptr;
  if (indices == nullptr || !indices->shape || indices->shape->empty()) return {};
  const std::int64_t batch = step.node.integer("batch_dims", 0);
  const std::int64_t length = indices->shape->back();
  if (batch < 0 || batch > std::ssize(dims)) return {};
  if (length < 0 || length > std::ssize(dims) - batch) return {};
  const std::int64_t depth = batch + length;
  const std::int64_t all = element_count({dims.begin(), dims.begin() + depth});
  return Share{element_count({dims.begin(), dims.begin() + batch}), std::max<std::int64_t>(1, all)};
}

}  // namespace

bool may_be_empty(const Program& program, const Step& step) {
  const auto assumption = first_assumption(step);
  constexpr std::string_view finds[] = {"Compress", "NonMaxSuppression", "NonZero"};
  return assumption &&
         std::ranges::find(finds, program.assumptions.at(*assumption).op) != std::end(finds);
}

void add_part(Parts& parts, const Value* value, const PartRead& part) {
  if (part.of < 1) return;
  const auto share = [](const PartRead& one) {
    return static_cast<double>(one.least) / static_cast<double>(one.of);
  };
  const auto [found, is_new] = parts.try_emplace(value, part);
  if (!is_new && share(part) > share(found->second)) found->second = part;
}

void add_share(const Program& program, const Value& value, const Share& share, Parts& parts) {
  if (share.part == 0) return;
  for (const Value* stored : stored_tensors_and_scales(program, value)) {
    add_part(parts, stored, {.least = share.part, .most = share.part, .of = share.of});
  }
}

void add_picked(const Program& program, const Value& value, Parts& parts) {
  std::set<const Value*> seen;
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value* const next = open.back();
    open.pop_back();
    if (next == nullptr || next->constant || !next->producer || !seen.insert(next).second) continue;
    const Step& step = program.steps[*next->producer];
    if (step.inputs.empty() || step.inputs[0] == nullptr) continue;
    const Value& first = *step.inputs[0];
    if (is_dequantization(step)) {
      open.insert(open.end(), step.inputs.begin(), step.inputs.end());
    } else if (is_view(step.node) ||
               (step.node.domain().empty() && step.node.op_type() == "Cast")) {
      open.push_back(&first);
    } else if (first.constant && first.shape) {
      if (const auto least = least_picked(step, *first.shape))
        add_share(program, first, *least, parts);
    }
  }
}

Parts parts_of_weights(const Program& program, const std::vector<LoweredLayer>& layers) {
  Parts parts;
  for (std::size_t step = 0; step < layers.size(); ++step) {
    if (may_be_empty(program, program.steps[step])) continue;
    for (const PartRead& part : layers[step].reads_parts) {
      const Value* const value = program.steps[step].inputs[part.input];
      if (part.least == 0) continue;
      if (value == nullptr || !value->constant || !value->shape) continue;
      for (const Value* stored : stored_tensors_and_scales(program, *value))
        add_part(parts, stored, part);
    }
  }
  return parts;
}

Parts parts_of_inputs(const Program& program, const std::vector<LoweredLayer>& layers) {
  Parts parts;
  for (std::size_t step = 0; step < layers.size(); ++step) {
    const Cost cost = layers[step].cost;
    if (cost != Cost::unsupported && cost != Cost::measured) continue;
    if (may_be_empty(program, program.steps[step])) continue;
    for (const PartRead& part : layers[step].reads_parts) {
      const Value* const value = program.steps[step].inputs[part.input];
      if (value == nullptr || !value->given || value->constant || !value->shape) continue;
      add_part(parts, value, part);
    }
  }
  return parts;
}

}  // namespace benanza::onnx
