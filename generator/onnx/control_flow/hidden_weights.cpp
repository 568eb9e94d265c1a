#include "generator/onnx/control_flow/hidden_weights.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benanza::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

/// Which inputs of a product its factors are, from the first to the last.
struct FactorInputs {
  std::string_view op;
  int first;
  int last;
};
constexpr FactorInputs products[] = {{"MatMul", 0, 1},
                                     {"Gemm", 0, 1},
                                     {"Conv", 1, 1},
                                     {"ConvTranspose", 1, 1},
                                     {"LSTM", 1, 2},
                                     {"GRU", 1, 2},
                                     {"RNN", 1, 2},
                                     {"MatMulNBits", 1, 3},
                                     {"MatMulInteger", 0, 1},
                                     {"ConvInteger", 1, 1},
                                     {"DynamicQuantizeMatMul", 1, 1},
                                     {"FusedMatMul", 0, 1},
                                     {"FusedConv", 1, 1},
                                     {"MatMulIntegerToFloat", 0, 1},
                                     {"DynamicQuantizeLSTM", 1, 2},
                                     {"QLinearConv", 3, 3},
                                     {"QLinearMatMul", 3, 3},
                                     {"QGemm", 3, 3},
                                     {"MatMulBnb4", 1, 2},
                                     {"Attention", 1, 1},
                                     {"QAttention", 1, 1},
                                     {"DecoderMaskedSelfAttention", 1, 1}};

/// How many of the first inputs of a node between a stored tensor and a product that reads it are
/// stored, too.
int shown_inputs(const NodeProto& node) {
  constexpr std::string_view views[] = {"Identity", "Transpose", "Reshape",
                                        "Cast",     "Squeeze",   "Unsqueeze"};
  if (node.op_type() == "DequantizeLinear") return node.input_size();
  return std::ranges::find(views, node.op_type()) == std::end(views) ? 0 : 1;
}

bool runs_its_body(const std::string& op) {
  return op == "Loop" || op == "Scan" || op == "SequenceMap";
}

std::int64_t bits(const std::vector<Tensor>& tensors) {
  std::int64_t sum = 0;
  for (const Tensor& tensor : tensors) sum += element_count(*tensor.shape) * type_bits(tensor.type);
  return sum;
}

/// What is read whichever of two branches runs.
HiddenWeights in_either(HiddenWeights first, HiddenWeights second) {
  std::erase_if(first.outer, [&](const Value* value) { return !second.outer.contains(value); });
  if (bits(second.own) < bits(first.own)) first.own = std::move(second.own);
  return first;
}

class Search {
 public:
  explicit Search(const Step& step) : step_(step) {}

  void visit(const GraphProto& body) {
    std::map<std::string, const ::onnx::TensorProto*> own;
    std::map<std::string, const NodeProto*> makers;
    for (const auto& tensor : body.initializer()) own[tensor.name()] = &tensor;
    for (const NodeProto& node : body.node()) {
      for (const std::string& output : node.output()) makers[output] = &node;
    }
    std::vector<std::string> open;
    for (const NodeProto& node : body.node()) {
      add_factors(node, open);
      visit_bodies(node);
    }
    std::set<std::string> seen;
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      if (!seen.insert(name).second) continue;
      if (const auto maker = makers.find(name); maker != makers.end()) {
        const NodeProto& node = *maker->second;
        for (int index = 0; index < shown_inputs(node); ++index) open.push_back(node.input(index));
      } else if (const auto tensor = own.find(name); tensor != own.end()) {
        add(*tensor->second);
      } else if (const auto value = step_.scope.find(name); value != step_.scope.end()) {
        if (value->second->constant && value->second->shape) found.outer.insert(value->second);
      }
    }
  }

  void visit_branches(const GraphProto& first, const GraphProto& second) {
    Search one(step_);
    Search other(step_);
    one.visit(first);
    other.visit(second);
    HiddenWeights certain = in_either(std::move(one.found), std::move(other.found));
    found.outer.merge(certain.outer);
    std::ranges::move(certain.own, std::back_inserter(found.own));
  }

  HiddenWeights found;

 private:
  static void add_factors(const NodeProto& node, std::vector<std::string>& names) {
    const auto known = std::ranges::find(products, node.op_type(), &FactorInputs::op);
    if (known == std::end(products)) return;
    for (int index = known->first; index <= known->last && index < node.input_size(); ++index) {
      names.push_back(node.input(index));
    }
  }

  void visit_bodies(const NodeProto& node) {
    std::vector<const GraphProto*> bodies;
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) bodies.push_back(&attribute.g());
    }
    if (runs_its_body(node.op_type())) {
      for (const GraphProto* body : bodies) visit(*body);
    } else if (node.op_type() == "If" && bodies.size() == 2) {
      visit_branches(*bodies[0], *bodies[1]);
    }
  }

  void add(const ::onnx::TensorProto& tensor) {
    const Dims dims(tensor.dims().begin(), tensor.dims().end());
    if (!checked_element_count(dims)) return;
    found.own.push_back(make_tensor(tensor.name(), make_type(tensor.data_type(), dims)));
    found.own.back().constant = true;
  }

  const Step& step_;
};

/// The bodies that run whatever the data are. A search for tokens begins with its encoder, where it
/// has one, or with the decoder for the first of them.
std::vector<std::string_view> bodies_that_run(const Node& node) {
  const std::string op = node.full_type();
  if (runs_its_body(op)) return {"body"};
  constexpr std::string_view searches[] = {"com.microsoft.BeamSearch", "com.microsoft.GreedySearch",
                                           "com.microsoft.Sampling",
                                           "com.microsoft.WhisperBeamSearch"};
  if (std::ranges::find(searches, op) == std::end(searches)) return {};
  for (const std::string_view first : {"encoder", "init_decoder"}) {
    if (node.find(first) != nullptr) return {first};
  }
  return {"decoder"};
}

}  // namespace

HiddenWeights hidden_weights(const Step& step) {
  Search search(step);
  const ::onnx::AttributeProto* const first = step.node.find("then_branch");
  const ::onnx::AttributeProto* const second = step.node.find("else_branch");
  if (first != nullptr && second != nullptr && first->has_g() && second->has_g()) {
    search.visit_branches(first->g(), second->g());
  }
  for (const std::string_view name : bodies_that_run(step.node)) {
    const ::onnx::AttributeProto* const body = step.node.find(name);
    if (body != nullptr && body->has_g()) search.visit(body->g());
  }
  return std::move(search.found);
}

}  // namespace benanza::onnx
