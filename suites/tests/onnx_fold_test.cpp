// The ONNX project's own operator tests with every input as a constant: constant folding must give
// the test's expected values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/onnx/infer/infer.h"
#include "generator/onnx/model/check_model.h"
#include "generator/onnx/model/tensor.h"
#include "generator/onnx/read/inline.h"
#include "generator/onnx/read/read.h"

namespace benanza::onnx {
namespace {

namespace fs = std::filesystem;

std::optional<::onnx::TensorProto> read_tensor(const fs::path& path) {
  ::onnx::TensorProto tensor;
  if (!fs::exists(path) || !tensor.ParseFromString(read_file(path))) return std::nullopt;
  return tensor;
}

struct Expected {
  std::string name;
  ::onnx::TensorProto tensor;
};

/// A test whose inputs were made initializers.
struct ConstantTest {
  ::onnx::ModelProto model;
  std::vector<Expected> outputs;
};

std::optional<ConstantTest> constant_test(const fs::path& folder) {
  ConstantTest test{read_model(folder / "model.onnx"), {}};
  const fs::path data = folder / "test_data_set_0";
  auto& graph = *test.model.mutable_graph();
  for (int index = 0; index < graph.input_size(); ++index) {
    if (!graph.input(index).type().has_tensor_type()) return std::nullopt;
    auto tensor = read_tensor(data / ("input_" + std::to_string(index) + ".pb"));
    if (!tensor) return std::nullopt;
    tensor->set_name(graph.input(index).name());
    *graph.add_initializer() = *tensor;
  }
  for (int index = 0; index < graph.output_size(); ++index) {
    if (!graph.output(index).type().has_tensor_type()) return std::nullopt;
    const auto tensor = read_tensor(data / ("output_" + std::to_string(index) + ".pb"));
    if (!tensor) return std::nullopt;
    test.outputs.push_back({graph.output(index).name(), *tensor});
  }
  // The test's own shapes of its outputs must not help.
  graph.clear_value_info();
  for (auto& output : *graph.mutable_output()) output.clear_type();
  return test;
}

Program known(const ::onnx::ModelProto& model, const std::string& where) {
  Program program = make_program(model, where);
  infer(program, model, ResolvedDims{}, make_operator_table());
  return program;
}

Dims extents(const ::onnx::TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

std::vector<double> reals(const Literal& literal) {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, literal);
}

void expect_equal(const Literal& literal, const ::onnx::TensorProto& expected) {
  const auto values = read_values(expected);
  if (!values) return;  // strings
  const std::vector<double> actual = reals(literal);
  const std::vector<double> wanted = reals(*values);
  ASSERT_EQ(actual.size(), wanted.size());
  for (std::size_t index = 0; index < actual.size(); ++index) {
    if (std::isnan(wanted[index]) && std::isnan(actual[index])) continue;
    ASSERT_NEAR(actual[index], wanted[index], 1e-5 * (1 + std::abs(wanted[index]))) << index;
  }
}

/// A data-dependent extent must not exceed the assumed one.
void expect_no_larger(const Dims& actual, const Dims& assumed) {
  ASSERT_EQ(actual.size(), assumed.size());
  for (std::size_t axis = 0; axis < actual.size(); ++axis) {
    EXPECT_LE(actual[axis], assumed[axis]) << "axis " << axis;
  }
}

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(fs::path(ONNX_TESTDATA) / "node")) {
    if (fs::exists(entry.path() / "model.onnx")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(OnnxFolding, ValuesAndShapesAreTheTestsOwn) {
  std::map<std::string, int> folded;
  int shapes = 0;
  int assumed = 0;
  for (const fs::path& folder : folders()) {
    SCOPED_TRACE(folder.filename().string());
    const auto test = constant_test(folder);
    // The collection's bfloat16 values do not match their type.
    if (!test || folder.string().find("BFLOAT16") != std::string::npos) continue;
    const Program program = known(test->model, folder.filename().string());
    for (const Expected& expected : test->outputs) {
      const Tensor& tensor = program.values.at(expected.name);
      if (tensor.shape && tensor.assumption) {
        expect_no_larger(extents(expected.tensor), *tensor.shape);
        ++assumed;
      } else if (tensor.shape) {
        EXPECT_EQ(*tensor.shape, extents(expected.tensor));
        ++shapes;
      }
      if (!tensor.literal) continue;
      expect_equal(*tensor.literal, expected.tensor);
      for (const Step& step : program.steps) ++folded[step.node.op_type()];
    }
  }
  for (const auto* op : {"Abs",        "Add",        "And",
                         "Cast",       "Ceil",       "Clip",
                         "Concat",     "Constant",   "ConstantOfShape",
                         "CumSum",     "Div",        "Equal",
                         "Exp",        "Expand",     "Flatten",
                         "Floor",      "Gather",     "GatherElements",
                         "GatherND",   "Greater",    "Identity",
                         "Less",       "Log",        "Max",
                         "Min",        "Mod",        "Mul",
                         "Neg",        "NonZero",    "Not",
                         "Or",         "Pad",        "Pow",
                         "Range",      "Reciprocal", "ReduceMax",
                         "ReduceMean", "ReduceMin",  "ReduceProd",
                         "ReduceSum",  "Reshape",    "Round",
                         "ScatterND",  "Shape",      "Sign",
                         "Size",       "Slice",      "Split",
                         "Sqrt",       "Squeeze",    "Sub",
                         "Sum",        "Tile",       "Transpose",
                         "Trilu",      "Unsqueeze",  "Where",
                         "Xor",        "OneHot",     "EyeLike",
                         "Erf",        "ArgMax",     "ArgMin",
                         "MatMul"}) {
    EXPECT_GE(folded[op], 1) << op << " is not folded";
  }
  EXPECT_GE(shapes, 600);
  EXPECT_GE(assumed, 10);
}

/// Operators whose semantics, and with them the result's shape, changed with the opset.
const std::set<std::string> changed{"Dropout", "Upsample", "Scatter", "Scan"};

TEST(OnnxFolding, RulesForNewerOpsetsGiveTheSameShapes) {
  int compared = 0;
  std::set<std::string> ruled;
  const OperatorTable operators = make_operator_table();
  for (const fs::path& folder : folders()) {
    SCOPED_TRACE(folder.filename().string());
    auto test = constant_test(folder);
    if (!test || changed.contains(test->model.graph().node(0).op_type())) continue;
    for (auto& import : *test->model.mutable_opset_import()) {
      if (import.domain().empty()) import.set_version(max_opset);
    }
    try {
      const Program program = known(test->model, folder.filename().string());
      for (const Step& step : program.steps) {
        if (operators.shape_function(step.node) != nullptr) ruled.insert(step.node.op_type());
      }
      for (const Expected& expected : test->outputs) {
        const Tensor& tensor = program.values.at(expected.name);
        if (tensor.shape && tensor.assumption) {
          expect_no_larger(extents(expected.tensor), *tensor.shape);
        } else if (tensor.shape) {
          EXPECT_EQ(*tensor.shape, extents(expected.tensor));
          ++compared;
        }
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(compared, 500);
  EXPECT_THAT(ruled, testing::IsSupersetOf({"Split", "Pad", "Resize", "ReduceMean", "ReduceSum",
                                            "Cast", "NonZero", "DequantizeLinear", "IsNaN"}));
}

}  // namespace
}  // namespace benanza::onnx
