// The ONNX project's own tests of its operators: what the generator makes of each model, computed
// with the references, must be what the test expects. Checks lowerings and references together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "harness/reference/reference.h"
#include "onnx/import.h"
#include "onnx/lowering.h"
#include "onnx/read.h"
#include "onnx/tensor.h"

namespace benanza {
namespace {

using Values = std::vector<float>;

/// A reason not to compare a test; not a failure.
class Skipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

onnx::TensorProto read_tensor(const std::filesystem::path& path) {
  onnx::TensorProto tensor;
  if (!tensor.ParseFromString(read_file(path))) throw Skipped("data that is no tensor");
  return tensor;
}

Values floats(const onnx::TensorProto& tensor) {
  const auto literal = read_values(tensor);
  if (!literal) throw Skipped("data of type " + type_name(tensor.data_type()));
  return std::visit([](const auto& values) { return Values(values.begin(), values.end()); },
                    *literal);
}

bool is_argument(const std::string& op, int index, int type) {
  // Arguments, not data: these are constants wherever the operator can be measured.
  return index > 0 && (!is_floating(type) || op == "Clip" || op == "Pad" || op == "Dropout" ||
                       op == "Resize" || op == "Upsample");
}

/// Operators that, where they are free, give the elements of their first input.
const std::set<std::string> passes_on{"Cast",      "Clip",       "Concat",  "Dropout",  "Flatten",
                                      "Identity",  "Max",        "Min",     "Pad",      "ReduceMax",
                                      "ReduceSum", "Reshape",    "Slice",   "Split",    "Sum",
                                      "Transpose", "ReduceMean", "Squeeze", "Unsqueeze"};

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

  const onnx::ModelProto& model() const { return model_; }

  /// Compares; `all_constant`: every operand but the first is a weight. Returns the operators that
  /// took part.
  std::set<std::string> compare(bool all_constant) {
    const onnx::ModelProto bound = with_constants(all_constant);
    const Graph graph = import_model(bound, where_, {}, where_);
    std::map<std::string, Values> values;
    for (const auto& tensor : bound.graph().initializer()) values[tensor.name()] = floats(tensor);
    for (const auto& [name, tensor] : inputs_) values[name] = floats(tensor);
    std::set<std::string> operators;
    for (std::size_t index = 0; index < graph.layers.size(); ++index) {
      evaluate(graph, index, bound.graph().node(static_cast<int>(index)), values);
      operators.insert(graph.layers[index].op_type);
    }
    int compared = 0;
    for (const auto& [name, tensor] : outputs_) {
      if (!is_floating(tensor.data_type()) && tensor.data_type() != onnx::TensorProto::BOOL) {
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
    onnx::GraphProto& graph = *model_.mutable_graph();
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
                       const Infos& infos, std::map<std::string, onnx::TensorProto>& tensors) {
    for (int index = 0; index < infos.size(); ++index) {
      const auto path = data / (prefix + std::to_string(index) + ".pb");
      if (!std::filesystem::exists(path)) continue;
      if (!infos[index].type().has_tensor_type()) throw Skipped("sequences or optional values");
      tensors[infos[index].name()] = read_tensor(path);
    }
  }

  onnx::ModelProto with_constants(bool all_constant) const {
    onnx::ModelProto bound = model_;
    for (const auto& node : model_.graph().node()) {
      for (int index = 1; index < node.input_size(); ++index) {
        const auto found = inputs_.find(node.input(index));
        if (found == inputs_.end()) continue;
        if (!all_constant && !is_argument(node.op_type(), index, found->second.data_type()))
          continue;
        onnx::TensorProto tensor = found->second;
        tensor.set_name(found->first);
        *bound.mutable_graph()->add_initializer() = tensor;
      }
    }
    return bound;
  }

  void evaluate(const Graph& graph, std::size_t index, const onnx::NodeProto& node,
                std::map<std::string, Values>& values) const {
    const Layer& layer = graph.layers[index];
    if (layer.op_type != node.op_type()) throw Skipped("nodes that are not in order");
    if (layer.cost == Cost::unsupported) throw Skipped(layer.op_type + ": " + layer.reason);
    if (layer.cost == Cost::free) {
      const auto& facts = layer.outputs.at(0);
      if (facts.shape && element_count(*facts.shape) == 0) {
        values[node.output(0)] = {};
      } else if (const onnx::TensorProto* constant = value_of(node)) {
        values[node.output(0)] = floats(*constant);
      } else if (passes_on.contains(layer.op_type) && !layer.reason.starts_with("computed")) {
        values[node.output(0)] = Values(values.at(node.input(0)));
      } else {
        throw Skipped(layer.op_type + " is free: " + layer.reason);
      }
      return;
    }
    std::vector<Values> results;
    std::map<int, Values> written;
    for (const Call& call : layer.calls) {
      if (std::holds_alternative<Quantization>(call.problem.shape)) {
        throw Skipped("a problem without the model's scales");
      }
      std::vector<Values> operands;
      for (const Source& source : call.operands) {
        operands.push_back(operand(source, node, values, results));
      }
      if (std::holds_alternative<Copy>(call.problem.shape)) {
        auto& target = written[call.output];
        if (target.empty()) target = blank(layer, call.output, node, values);
        if (call.stands_in) throw Skipped("a copy that only stands for the node");
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
      }
    }
    check_fusions(graph, index, node, values, written);
    for (auto& [output, result] : written) {
      if (output < node.output_size()) values[node.output(output)] = std::move(result);
    }
  }

  /// Null if the node is no constant of numbers.
  static const onnx::TensorProto* value_of(const onnx::NodeProto& node) {
    if (node.op_type() != "Constant") return nullptr;
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "value") return &attribute.t();
    }
    return nullptr;
  }

  static Values operand(const Source& source, const onnx::NodeProto& node,
                        const std::map<std::string, Values>& values,
                        const std::vector<Values>& results) {
    if (source.kind == Source::Kind::attribute) throw Skipped("an operand in an attribute");
    Values operand = source.kind == Source::Kind::call
                         ? results.at(static_cast<std::size_t>(source.index))
                         : values.at(node.input(source.index));
    for (float& value : operand) value *= source.scale;
    return operand;
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
          static_cast<float>(reference(problem, operands, static_cast<std::int64_t>(flat)));
    }
    return result;
  }

  /// What a copy does not write: the constant of Pad.
  static Values blank(const Layer& layer, int output, const onnx::NodeProto& node,
                      const std::map<std::string, Values>& values) {
    float fill = NAN;
    if (layer.op_type == "Pad") {
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
          static_cast<float>(reference(call.problem, operands, to));
      for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < shape.dims[axis]) break;
        index[axis] = 0;
      }
    }
  }

  /// A fused call must give what the calls it replaces give.
  void check_fusions(const Graph& graph, std::size_t index, const onnx::NodeProto& node,
                     const std::map<std::string, Values>& values,
                     std::map<int, Values>& written) const {
    for (const Fusion& fusion : graph.fusions) {
      if (fusion.layers != std::vector<int>{static_cast<int>(index)}) continue;
      std::vector<Values> operands;
      for (const Call& call : graph.layers[index].calls) {
        for (const Source& source : call.operands) {
          if (source.kind == Source::Kind::input) {
            operands.push_back(operand(source, node, values, {}));
          }
        }
      }
      expect_near(written.at(0), compute(fusion.problem, operands), key(fusion.problem));
    }
  }

  static void expect_near(const Values& expected, const Values& actual, const std::string& what) {
    ASSERT_EQ(expected.size(), actual.size()) << what;
    for (std::size_t index = 0; index < expected.size(); ++index) {
      ASSERT_NEAR(expected[index], actual[index], 2e-5 * (1 + std::abs(expected[index])))
          << what << " element " << index;
    }
  }

  std::string where_;
  onnx::ModelProto model_;
  std::map<std::string, onnx::TensorProto> inputs_;
  std::map<std::string, onnx::TensorProto> outputs_;
};

/// Operators of which the collection has no test with floats in and out.
const std::set<std::string> without_tests{
    "Cast", "CastLike", "Equal", "Constant", "ConstantOfShape", "ImageScaler", "Shape", "Size",
    // Newer than the collection.
    "Gelu", "Swish", "Mish", "GroupNormalization", "RMSNormalization",
    "SimplifiedLayerNormalization", "LpNormalization",
    // Integers: the problems have no scales of their own.
    "QLinearConv", "ConvInteger", "QLinearMatMul", "MatMulInteger", "QuantizeLinear",
    "DequantizeLinear",
    // Where the elements come from is known only when the model runs.
    "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND"};

/// Operators that are unsupported whatever their inputs: they share a lowering that only says why.
bool refused(const LoweringTable& table, const std::string& op) {
  return table.find(op) == table.find("TopK");
}

class Collection {
 public:
  explicit Collection(const std::string& name)
      : folder_(std::filesystem::path(ONNX_TESTDATA) / name) {}

  void run() {
    const LoweringTable table = make_lowering_table();
    const std::vector<std::string> covered = table.op_types();
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (std::filesystem::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    for (const auto& folder : folders) run_one(folder, table);
    std::cout << folder_.filename().string() << ": " << compared_ << " tests compared, "
              << skipped_.size() << " of covered operators skipped, " << foreign_
              << " of other operators\n";
    for (const std::string& line : skipped_) std::cout << "  skipped " << line << '\n';
  }

  int compared() const { return compared_; }
  const std::map<std::string, int>& per_operator() const { return per_operator_; }

 private:
  void run_one(const std::filesystem::path& folder, const LoweringTable& table) {
    const std::string name = folder.filename().string();
    SCOPED_TRACE(name);
    try {
      const onnx::ModelProto model = read_model(folder / "model.onnx");
      for (const auto& node : model.graph().node()) {
        if (table.find(node.op_type()) == nullptr) {
          ++foreign_;
          return;
        }
      }
      NodeTest test(folder);
      const std::set<std::string> operators = test.compare(false);
      test.compare(true);
      for (const std::string& op : operators) ++per_operator_[op];
      ++compared_;
    } catch (const Skipped& reason) {
      skipped_.push_back(name + ": " + reason.what());
    } catch (const Error& reason) {
      // Inputs without elements are the only models that may be refused.
      EXPECT_THAT(reason.what(), testing::HasSubstr("must be 1 to"));
      skipped_.push_back(reason.what());
    }
  }

  std::filesystem::path folder_;
  int compared_ = 0;
  int foreign_ = 0;
  std::vector<std::string> skipped_;
  std::map<std::string, int> per_operator_;
};

TEST(OnnxNodeTests, EveryTestOfACoveredOperator) {
  Collection nodes("node");
  nodes.run();
  EXPECT_GE(nodes.compared(), 218);
  const LoweringTable table = make_lowering_table();
  for (const std::string& op : table.op_types()) {
    if (without_tests.contains(op) || op.find('.') != std::string::npos || refused(table, op)) {
      continue;
    }
    EXPECT_GE(nodes.per_operator().count(op), 1U) << op << " has no test that was compared";
  }
}

TEST(OnnxNodeTests, ModelsThatPyTorchExported) {
  Collection models("pytorch-converted");
  models.run();
  EXPECT_GE(models.compared(), 60);
}

}  // namespace
}  // namespace benanza
