#pragma once

// A test in the ONNX project's form: what the generator makes of the model, computed with the
// references, must be what the test expects.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/fusion/fusion.h"
#include "generator/fusion/whole/whole.h"
#include "generator/onnx/import.h"
#include "generator/onnx/model/tensor.h"
#include "generator/onnx/read/read.h"
#include "suites/verify/reference.h"

namespace benanza::onnx {

using Values = std::vector<float>;

/// A reason not to compare a test; not a failure.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline ::onnx::TensorProto read_tensor(const std::filesystem::path& path) {
  ::onnx::TensorProto tensor;
  if (!tensor.ParseFromString(read_file(path))) throw Skipped("data that is no tensor");
  return tensor;
}

inline Values floats(const ::onnx::TensorProto& tensor) {
  const auto literal = read_values(tensor);
  if (!literal) throw Skipped("data of type " + type_name(tensor.data_type()));
  return std::visit([](const auto& values) { return Values(values.begin(), values.end()); },
                    *literal);
}

inline bool is_argument(const std::string& op, int index, int type) {
  // Arguments, not data: these are constants wherever the operator can be measured.
  return index > 0 && (!is_floating(type) || op == "Clip" || op == "Pad" || op == "Dropout" ||
                       op == "Resize" || op == "Upsample");
}

/// Operators that, where they are free, give the elements of their first input.
inline const std::set<std::string> passes_on{
    "Cast", "Clip",      "Concat",     "Dropout",   "Flatten",  "Identity", "Max",
    "Min",  "Pad",       "ReduceMax",  "ReduceSum", "Reshape",  "Slice",    "Split",
    "Sum",  "Transpose", "ReduceMean", "Squeeze",   "Unsqueeze"};

/// One test of the collection: a model, values of its inputs, and what must come out.
class NodeTest {
 public:
  explicit NodeTest(const std::filesystem::path& folder)
      : where_(folder.filename().string()), model_(read_model(folder / "model.onnx")) {
    const auto data = folder / "test_data_set_0";
    if (!std::filesystem::exists(data)) throw Skipped("no data");
    read_set(data, "input_", model_.graph().input(), inputs_);
    read_set(data, "output_", model_.graph().output(), outputs_);
    drop_statistics();
  }

  const ::onnx::ModelProto& model() const { return model_; }

  /// Names of the whole operators that took part in comparisons.
  const std::set<std::string>& whole_operators() const { return whole_; }

  /// Compares; `all_constant`: every operand but the first is a weight. Returns the operators that
  /// took part.
  std::set<std::string> compare(bool all_constant) {
    const ::onnx::ModelProto bound = with_constants(all_constant);
    const LoweredGraph graph = import_model(bound, where_, {}, where_);
    std::map<std::string, Values> values;
    for (const auto& tensor : bound.graph().initializer()) values[tensor.name()] = floats(tensor);
    for (const auto& [name, tensor] : inputs_) values[name] = floats(tensor);
    std::set<std::string> operators;
    for (std::size_t index = 0; index < graph.layers.size(); ++index) {
      evaluate(graph, index, bound.graph().node(static_cast<int>(index)), values);
      operators.insert(graph.layers[index].op);
    }
    check_whole_operators(graph, bound.graph(), values);
    int compared = 0;
    for (const auto& [name, tensor] : outputs_) {
      if (!is_floating(tensor.data_type()) && tensor.data_type() != ::onnx::TensorProto::BOOL) {
        continue;
      }
      const auto found = values.find(name);
      if (found == values.end()) throw Skipped("output " + name + " is not computed");
      expect_near(floats(tensor), found->second, name);
      ++compared;
    }
    if (compared == 0) throw Skipped("no output of floats");
    return operators;
  }

 private:
  /// What LayerNormalization hands out beside its result is for training alone.
  void drop_statistics() {
    ::onnx::GraphProto& graph = *model_.mutable_graph();
    for (auto& node : *graph.mutable_node()) {
      if (node.op_type() != "LayerNormalization") continue;
      while (node.output_size() > 1) {
        const std::string name = node.output(node.output_size() - 1);
        node.mutable_output()->RemoveLast();
        outputs_.erase(name);
        auto& outputs = *graph.mutable_output();
        for (int index = outputs.size() - 1; index >= 0; --index) {
          if (outputs[index].name() == name) outputs.DeleteSubrange(index, 1);
        }
      }
    }
  }

  template <class Infos>
  static void read_set(const std::filesystem::path& data, const std::string& prefix,
                       const Infos& infos, std::map<std::string, ::onnx::TensorProto>& tensors) {
    for (int index = 0; index < infos.size(); ++index) {
      const auto path = data / (prefix + std::to_string(index) + ".pb");
      if (!std::filesystem::exists(path)) continue;
      if (!infos[index].type().has_tensor_type()) throw Skipped("sequences or optional values");
      tensors[infos[index].name()] = read_tensor(path);
    }
  }

  ::onnx::ModelProto with_constants(bool all_constant) const {
    ::onnx::ModelProto bound = model_;
    for (const auto& node : model_.graph().node()) {
      for (int index = 1; index < node.input_size(); ++index) {
        const auto found = inputs_.find(node.input(index));
        if (found == inputs_.end()) continue;
        if (!all_constant && !is_argument(node.op_type(), index, found->second.data_type()))
          continue;
        ::onnx::TensorProto tensor = found->second;
        tensor.set_name(found->first);
        *bound.mutable_graph()->add_initializer() = tensor;
      }
    }
    return bound;
  }

  void evaluate(const LoweredGraph& graph, std::size_t index, const ::onnx::NodeProto& node,
                std::map<std::string, Values>& values) const {
    const LoweredLayer& layer = graph.layers[index];
    if (layer.op != node.op_type()) throw Skipped("nodes that are not in order");
    if (layer.cost == Cost::unsupported) throw Skipped(layer.op + ": " + layer.reason);
    if (layer.cost == Cost::free) {
      const auto& facts = layer.outputs.at(0);
      if (facts.shape && element_count(*facts.shape) == 0) {
        values[node.output(0)] = {};
      } else if (const ::onnx::TensorProto* constant = value_of(node)) {
        values[node.output(0)] = floats(*constant);
      } else if (passes_on.contains(layer.op) && !layer.reason.starts_with("computed")) {
        values[node.output(0)] = Values(values.at(node.input(0)));
      } else {
        throw Skipped(layer.op + " is free: " + layer.reason);
      }
      return;
    }
    std::vector<Values> results;
    std::map<int, Values> written;
    if (layer.whole) {
      // Its parts have weights that no node holds.
      values[node.output(0)] = compute(*layer.whole, {values.at(node.input(0))});
      return;
    }
    for (const Call& call : layer.calls) {
      if (std::holds_alternative<Quantization>(call.problem.shape)) {
        throw Skipped("a problem without the model's scales");
      }
      if (std::holds_alternative<Dropout>(call.problem.shape)) throw Skipped("a random result");
      std::vector<Values> operands;
      for (const Source& source : call.operands) {
        const Dims dims = inputs(call.problem)[operands.size()].dims;
        const bool hides_later = source.kind == Source::Kind::attribute && source.index == 0;
        operands.push_back(hides_later && node.op_type() == "Attention"
                               ? triangle(dims)
                               : operand(source, node, values, results));
      }
      if (std::holds_alternative<Copy>(call.problem.shape)) {
        const bool inner = read_by_a_call(layer, results.size());
        Values own(inner ? static_cast<std::size_t>(element_count(output(call.problem))) : 0, NAN);
        Values& target = inner ? own : written[call.output];
        if (target.empty()) target = blank(layer, call.output, node, values);
        if (call.is_proxy) throw Skipped("a copy that only stands for the node");
        copy(call, operands.front(), target);
        results.push_back(target);
      } else {
        results.push_back(compute(call.problem, operands));
        auto begin = results.back().begin();
        int output = call.output;
        for (const Dims& part : benanza::results(call.problem)) {
          written[output++] = Values(begin, begin + element_count(part));
          begin += element_count(part);
        }
        if (std::holds_alternative<BatchNormalizationTraining>(call.problem.shape)) {
          run_on(node, values, written);
        }
      }
    }
    check_fusions(graph, index, node, values, written);
    for (auto& [output, result] : written) {
      if (output < node.output_size()) values[node.output(output)] = std::move(result);
    }
  }

  /// The problem gives the batch's mean and variance, the node what they make of the running ones.
  static void run_on(const ::onnx::NodeProto& node, const std::map<std::string, Values>& values,
                     std::map<int, Values>& written) {
    double momentum = 0.9;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "momentum") momentum = static_cast<double>(attribute.f());
    }
    for (const int output : {1, 2}) {
      const Values& before = values.at(node.input(output + 2));
      for (std::size_t channel = 0; channel < before.size(); ++channel) {
        float& value = written.at(output).at(channel);
        value = static_cast<float>(before[channel] * momentum + value * (1 - momentum));
      }
    }
  }

  /// True if the result of call `index` is an operand of another call: it is no output of the
  /// layer.
  static bool read_by_a_call(const LoweredLayer& layer, std::size_t index) {
    return std::any_of(layer.calls.begin(), layer.calls.end(), [&](const Call& call) {
      return std::any_of(call.operands.begin(), call.operands.end(), [&](const Source& source) {
        return source.kind == Source::Kind::call && static_cast<std::size_t>(source.index) == index;
      });
    });
  }

  /// Null if the node is no constant of numbers.
  static const ::onnx::TensorProto* value_of(const ::onnx::NodeProto& node) {
    if (node.op_type() != "Constant") return nullptr;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value") return &attribute.t();
    }
    return nullptr;
  }

  bool is_truth(const std::string& name) const {
    const auto found = inputs_.find(name);
    return found != inputs_.end() && found->second.data_type() == ::onnx::TensorProto::BOOL;
  }

  /// What IsInf looks for.
  static float infinity_of(const ::onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "detect_positive" && attribute.i() == 0) return -INFINITY;
    }
    return INFINITY;
  }

  Values operand(const Source& source, const ::onnx::NodeProto& node,
                 const std::map<std::string, Values>& values,
                 const std::vector<Values>& results) const {
    if (source.kind == Source::Kind::attribute) {
      if (node.op_type() == "IsInf") return {infinity_of(node)};
      throw Skipped("an operand in an attribute");
    }
    Values operand = source.kind == Source::Kind::call
                         ? results.at(static_cast<std::size_t>(source.index))
                         : values.at(node.input(source.index));
    if (source.kind == Source::Kind::input && node.op_type() == "Attention" &&
        is_truth(node.input(source.index))) {
      for (float& value : operand) value = value == 0 ? -INFINITY : 0.0F;
    }
    for (float& value : operand) value *= source.scale;
    return operand;
  }

  /// What a causal attention adds to its scores: later keys are out of sight.
  static Values triangle(const Dims& dims) {
    const std::int64_t queries = dims.end()[-2];
    const std::int64_t keys = dims.end()[-1];
    Values values;
    for (std::int64_t query = 0; query < queries; ++query) {
      for (std::int64_t key = 0; key < keys; ++key) {
        values.push_back(key > query ? -INFINITY : 0.0F);
      }
    }
    return values;
  }

  static Values compute(const Problem& problem, const std::vector<Values>& operands) {
    const auto expected = inputs(problem);
    for (std::size_t index = 0; index < expected.size(); ++index) {
      EXPECT_EQ(operands[index].size(),
                static_cast<std::size_t>(element_count(expected[index].dims)))
          << key(problem) << " operand " << expected[index].name;
    }
    EXPECT_EQ(parse(key(problem)), problem);
    Values result(static_cast<std::size_t>(element_count(output(problem))));
    for (std::size_t flat = 0; flat < result.size(); ++flat) {
      result[flat] =
          static_cast<float>(verify::reference(problem, operands, static_cast<std::int64_t>(flat)));
    }
    return result;
  }

  /// What a copy does not write: the constant of Pad.
  static Values blank(const LoweredLayer& layer, int output, const ::onnx::NodeProto& node,
                      const std::map<std::string, Values>& values) {
    float fill = NAN;
    if (layer.op == "Pad") {
      fill = node.input_size() > 2 && !node.input(2).empty() ? values.at(node.input(2)).at(0) : 0;
      for (const auto& attribute : node.attribute()) {
        if (attribute.name() == "value") fill = attribute.f();
      }
    }
    const auto& facts = layer.outputs.at(static_cast<std::size_t>(output));
    return Values(static_cast<std::size_t>(element_count(*facts.shape)), fill);
  }

  static void copy(const Call& call, const Values& source, Values& target) {
    EXPECT_EQ(parse(key(call.problem)), call.problem);
    const Copy& shape = std::get<Copy>(call.problem.shape);
    const std::int64_t span = element_count(inputs(call.problem).front().dims);
    const auto begin = source.begin() + call.from_offset;
    ASSERT_LE(call.from_offset + span, static_cast<std::int64_t>(source.size()));
    const std::vector<Values> operands{{begin, begin + span}};
    Dims index(shape.dims.size(), 0);
    for (std::int64_t moved = 0; moved < shape.moved_elements(); ++moved) {
      std::int64_t to = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis) to += index[axis] * shape.to[axis];
      target.at(static_cast<std::size_t>(call.to_offset + to)) =
          static_cast<float>(verify::reference(call.problem, operands, to));
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < shape.dims[axis]) break;
        index[axis] = 0;
      }
    }
  }

  /// A fused call must give what the calls it replaces give.
  void check_fusions(const LoweredGraph& graph, std::size_t index, const ::onnx::NodeProto& node,
                     const std::map<std::string, Values>& values,
                     std::map<int, Values>& written) const {
    for (const Fusion& fusion : fusion::find_fusions(graph.layers)) {
      if (fusion.layers != std::vector<std::size_t>{index}) continue;
      if (fusion.pattern == "attention") {
        check_attention(parse(fusion.problem), node, values, written);
        continue;
      }
      std::vector<Values> operands;
      for (const Call& call : graph.layers[index].calls) {
        for (const Source& source : call.operands) {
          if (source.kind == Source::Kind::input) {
            operands.push_back(operand(source, node, values, {}));
          }
        }
      }
      const Problem problem = parse(fusion.problem);
      fit(operands, inputs(problem));
      expect_near(written.at(0), compute(problem, operands), fusion.problem);
    }
  }

  /// What is put together again must give what its nodes give.
  void check_whole_operators(const LoweredGraph& graph, const ::onnx::GraphProto& nodes,
                             const std::map<std::string, Values>& values) {
    const fusion::Flow flow(graph.layers);
    for (const fusion::WholeOperator& whole : fusion::whole_operators(flow)) {
      std::vector<Values> operands;
      for (const Read& read : whole.operands) {
        operands.push_back(values.at(name_of(read, graph, nodes, whole.layers)));
      }
      const ::onnx::NodeProto& last = nodes.node(static_cast<int>(whole.layers.back()));
      expect_near(values.at(last.output(0)), compute(whole.problem, operands), key(whole.problem));
      whole_.insert(whole.name);
    }
  }

  /// The tensor's name in the node that reads it.
  static std::string name_of(const Read& read, const LoweredGraph& graph,
                             const ::onnx::GraphProto& nodes,
                             const std::vector<std::size_t>& layers) {
    for (const std::size_t layer : layers) {
      const std::vector<Read>& reads = graph.layers[layer].reads;
      const auto found = std::find_if(reads.begin(), reads.end(),
                                      [&](const Read& one) { return one.tensor == read.tensor; });
      if (found == reads.end()) continue;
      return nodes.node(static_cast<int>(layer)).input(static_cast<int>(found - reads.begin()));
    }
    return {};
  }

  /// A power as products reads its operand several times, and one number is a bias of equal ones.
  static void fit(std::vector<Values>& operands, const std::vector<Operand>& expected) {
    while (operands.size() < expected.size()) operands.push_back(Values(operands.front()));
    for (std::size_t index = 0; index < expected.size(); ++index) {
      const auto size = static_cast<std::size_t>(element_count(expected[index].dims));
      if (operands[index].size() == 1) operands[index].assign(size, Values(operands[index])[0]);
    }
  }

  /// Heads in the rows are read where they are: only heads on an axis of their own compare here.
  void check_attention(const Problem& problem, const ::onnx::NodeProto& node,
                       const std::map<std::string, Values>& values,
                       std::map<int, Values>& written) const {
    const auto& q = inputs_.at(node.input(0));
    // More than q, k, v and a mask: keys and values are continued before they are used.
    if (q.dims_size() != 4 || node.input_size() > 4) return;
    std::vector<Values> operands;
    for (int index = 0; index < static_cast<int>(inputs(problem).size()); ++index) {
      const bool given = index < node.input_size() && !node.input(index).empty();
      operands.push_back(given ? operand({Source::Kind::input, index, 1}, node, values, {})
                               : triangle(inputs(problem)[static_cast<std::size_t>(index)].dims));
    }
    expect_near(written.at(0), compute(problem, operands), key(problem));
  }

  static void expect_near(const Values& expected, const Values& actual, const std::string& what) {
    ASSERT_EQ(expected.size(), actual.size()) << what;
    for (std::size_t index = 0; index < expected.size(); ++index) {
      // What sees nothing at all is the mean of nothing.
      if (std::isnan(expected[index]) && std::isnan(actual[index])) continue;
      ASSERT_NEAR(expected[index], actual[index], 2e-5 * (1 + std::abs(expected[index])))
          << what << " element " << index;
    }
  }

  std::string where_;
  std::set<std::string> whole_;
  ::onnx::ModelProto model_;
  std::map<std::string, ::onnx::TensorProto> inputs_;
  std::map<std::string, ::onnx::TensorProto> outputs_;
};

}  // namespace benanza::onnx
