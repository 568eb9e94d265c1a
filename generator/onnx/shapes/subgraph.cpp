#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/body.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/whole.h"

/// Operators with bodies: what the bodies themselves state about their results.
namespace benanza::onnx::shapes {
namespace {

std::vector<TensorFacts> body_facts(const Site& site, std::string_view body) {
  std::vector<TensorFacts> facts;
  for (const Tensor& output : stated_outputs(site.node(), body)) {
    facts.push_back({output.type, output.shape});
  }
  return facts;
}

/// The branches must agree.
std::vector<TensorFacts> conditional(const Site& site) {
  const auto first = body_facts(site, "then_branch");
  const auto second = body_facts(site, "else_branch");
  std::vector<TensorFacts> facts;
  for (std::size_t index = 0; index < std::min(first.size(), second.size()); ++index) {
    if (first[index].type != second[index].type || first[index].type == 0) {
      facts.push_back({});
    } else if (first[index].shape != second[index].shape) {
      facts.push_back({first[index].type, {}});
    } else {
      facts.push_back(first[index]);
    }
  }
  return facts;
}

/// True if input `index` is left out or known to be true.
bool is_true(const Site& site, std::size_t index) {
  return !site.has_input(index) || (site.input(index).literal && site.scalar(index, 0) != 0);
}

/// Whether the body never says to stop: it hands on what it was told.
bool goes_on(const ::onnx::GraphProto& body) {
  if (body.input_size() < 2 || body.output_size() < 1) return false;
  std::string condition = body.output(0).name();
  for (int index = body.node_size() - 1; index >= 0; --index) {
    const ::onnx::NodeProto& node = body.node(index);
    if (node.output_size() != 1 || node.output(0) != condition) continue;
    if (node.op_type() != "Identity" && node.op_type() != "Cast") return false;
    if (node.input_size() != 1) return false;
    condition = node.input(0);
  }
  return condition == body.input(1).name();
}

/// What goes round keeps the shape the body states; what is collected has the number of rounds
/// before it.
std::vector<TensorFacts> loop(const Site& site) {
  auto facts = body_facts(site, "body");
  if (facts.empty()) return facts;
  facts.erase(facts.begin());  // whether to go on
  const bool counted = site.has_input(0) && site.input(0).literal && is_true(site, 1) &&
                       goes_on(site.node().find("body")->g());
  const std::size_t carried = site.input_count() < 2 ? 0 : site.input_count() - 2;
  for (std::size_t index = carried; index < facts.size(); ++index) {
    std::optional<Dims>& shape = facts[index].shape;
    if (counted && shape) {
      shape->insert(shape->begin(), std::max<std::int64_t>(0, whole(site.scalar(0, 0))));
    } else {
      shape.reset();
    }
  }
  return facts;
}

/// States keep their shapes; what is collected has the length of the sequence along an axis of its
/// own.
std::vector<TensorFacts> scan(const Site& site) {
  auto facts = body_facts(site, "body");
  const auto sequences = static_cast<std::size_t>(site.node().integer("num_scan_inputs", 0));
  if (sequences < 1 || sequences > site.input_count()) throw Error("num_scan_inputs is impossible");
  const std::size_t states = site.input_count() - sequences;
  const Dims& sequence = site.shape(states);
  const Dims from = site.node().integers("scan_input_axes").value_or(Dims(sequences, 0));
  const auto to = site.node().integers("scan_output_axes");
  if (from.size() != sequences) throw Error("scan_input_axes are not one per sequence");
  const std::int64_t rounds =
      sequence[static_cast<std::size_t>(Site::axis(from[0], sequence.size()))];
  for (std::size_t index = 0; index < facts.size(); ++index) {
    std::optional<Dims>& shape = facts[index].shape;
    if (index < states) {
      facts[index] = like_input(site, index);
    } else if (shape) {
      const std::int64_t stated = to ? to->at(index - states) : 0;
      shape->insert(shape->begin() + Site::axis(stated, shape->size() + 1), rounds);
    }
  }
  return facts;
}

}  // namespace

void register_subgraph(ShapeTable& table) {
  table.add("If", conditional);
  table.add("Loop", loop);
  table.add("Scan", scan, 9);
}

}  // namespace benanza::onnx::shapes
