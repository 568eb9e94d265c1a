#pragma once

// A test in the ONNX project's format: the calls that the generator makes of the model, computed
// with the references, must give the expected values.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "generator/fusion/fusion.h"
#include "generator/fusion/whole/whole.h"
#include "generator/onnx/import.h"
#include "generator/onnx/read/read.h"
#include "suites/tests/onnx_node_fourier.h"
#include "suites/tests/onnx_node_values.h"

namespace benanza::onnx {

/// One test of the collection: a model, its input values, and the expected outputs.
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

  /// The names of the whole operators that were compared.
  const std::set<std::string>& whole_operators() const { return whole_; }

  /// Compares the outputs; `all_constant` makes every operand but the first a weight. Returns the
  /// operators that were compared.
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
  /// Removes LayerNormalization's further outputs, which are for training only.
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
    if (layer.precision == "int8") throw Skipped(layer.op + ": no output of floats");
    if (layer.cost == Cost::free) {
      const auto& facts = layer.outputs.at(0);
      if (facts.shape && element_count(*facts.shape) == 0) {
        values[node.output(0)] = {};
      } else if (layer.reason == "sums of no elements: zeros") {
        values[node.output(0)] = Values(static_cast<std::size_t>(element_count(*facts.shape)), 0);
      } else if (const ::onnx::TensorProto* constant = value_of(node)) {
        values[node.output(0)] = floats(*constant);
      } else if (layer.reason == "leaves every element where it is" ||
                 (passes_on.contains(layer.op) && !layer.reason.starts_with("computed"))) {
        values[node.output(0)] = Values(values.at(node.input(0)));
      } else {
        throw Skipped(layer.op + " is free: " + layer.reason);
      }
      return;
    }
    std::vector<Values> results;
    std::map<int, Values> written;
    if (layer.whole) {
      // Its parts have weights that are not inputs of any node.
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
        const bool is_made = source.kind == Source::Kind::attribute;
        const bool is_fourier = node.op_type() == "DFT" || node.op_type() == "STFT";
        if (is_made && source.index == Source::unstated && is_fourier) {
          FourierMatrix matrix = fourier(node, values);
          // A window that changes is a factor of the frames.
          const auto is_factor = [](const Call& one) {
            return std::holds_alternative<Binary>(one.problem.shape);
          };
          if (std::ranges::any_of(layer.calls, is_factor)) matrix.window.clear();
          operands.push_back(matrix.values(dims));
        } else if (is_made && source.index == Source::stated) {
          Values numbers = source.numbers;
          if (numbers.size() == 1) {
            numbers.assign(static_cast<std::size_t>(element_count(dims)), numbers.front());
          }
          operands.push_back(std::move(numbers));
        } else if (is_made && source.index == Source::causal && node.op_type() == "Attention") {
          operands.push_back(triangle(dims));
        } else {
          operands.push_back(operand(source, node, values, results));
        }
        if (!source.is_whole()) operands.back() = part(operands.back(), source, dims);
      }
      if (call.is_proxy) throw Skipped("a call that only stands for the node");
      if (std::holds_alternative<Copy>(call.problem.shape)) {
        const bool inner = read_by_a_call(layer, results.size());
        Values own(inner ? static_cast<std::size_t>(element_count(output(call.problem))) : 0, NAN);
        Values& target = inner ? own : written[call.output];
        if (target.empty()) target = blank(layer, call.output, node, values);
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

  /// Of a node of the collection: whole spectra of complex numbers, or with windows.
  FourierMatrix fourier(const ::onnx::NodeProto& node,
                        const std::map<std::string, Values>& values) const {
    const auto& signal = inputs_.at(node.input(0));
    FourierMatrix matrix{.read_numbers = signal.dims(signal.dims_size() - 1)};
    if (node.op_type() == "STFT") {
      if (!node.input(2).empty()) matrix.window = values.at(node.input(2));
      matrix.points = node.input_size() > 3 ? static_cast<std::int64_t>(values.at(node.input(3))[0])
                                            : std::ssize(matrix.window);
      return matrix;
    }
    int axis = 1;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "axis") axis = static_cast<int>(attribute.i());
      if (attribute.name() == "inverse") matrix.inverse = attribute.i() != 0;
    }
    matrix.points = signal.dims(axis);
    return matrix;
  }

  bool is_truth(const std::string& name) const {
    const auto found = inputs_.find(name);
    return found != inputs_.end() && found->second.data_type() == ::onnx::TensorProto::BOOL;
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

  /// A fused call must give the same result as the calls that it replaces.
  void check_fusions(const LoweredGraph& graph, std::size_t index, const ::onnx::NodeProto& node,
                     const std::map<std::string, Values>& values,
                     std::map<int, Values>& written) const {
    for (const Fusion& fusion : fusion::find_fusions(graph.layers)) {
      if (fusion.layers != std::vector<std::size_t>{index}) continue;
      // Several problems, of which no file states what each reads.
      if (fusion.pattern == "parts") continue;
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

  /// A reassembled operator must give the same result as its nodes.
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

  /// Only heads on their own axis are compared here; heads inside rows are read in place.
  void check_attention(const Problem& problem, const ::onnx::NodeProto& node,
                       const std::map<std::string, Values>& values,
                       std::map<int, Values>& written) const {
    const auto& q = inputs_.at(node.input(0));
    // With more inputs than q, k, v and a mask, keys and values are extended before they are used.
    if (q.dims_size() != 4 || node.input_size() > 4) return;
    std::vector<Values> operands;
    for (int index = 0; index < static_cast<int>(inputs(problem).size()); ++index) {
      const bool given = index < node.input_size() && !node.input(index).empty();
      const Dims dims = inputs(problem)[static_cast<std::size_t>(index)].dims;
      Source source{Source::Kind::input, index, 1};
      operands.push_back(given ? operand(source, node, values, {}) : triangle(dims));
      // Keys that no query sees are left out.
      if (std::ssize(operands.back()) <= element_count(dims)) continue;
      source.matrix_rows = inputs_.at(node.input(index)).dims(2);
      operands.back() = part(operands.back(), source, dims);
    }
    expect_near(written.at(0), compute(problem, operands), key(problem));
  }

  std::string where_;
  std::set<std::string> whole_;
  ::onnx::ModelProto model_;
  std::map<std::string, ::onnx::TensorProto> inputs_;
  std::map<std::string, ::onnx::TensorProto> outputs_;
};

}  // namespace benanza::onnx
