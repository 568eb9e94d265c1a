// The definitions that the random tests compare with, against the ONNX project's own tests.
#include "suites/tests/random/definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace benanza::definitions {
namespace {

namespace fs = std::filesystem;

template <class Message>
Message read(const fs::path& path) {
  Message message;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(message.ParseFromIstream(&file)) << path;
  return message;
}

/// Sets `tensor` to the first one of the test's data with that prefix; false if there is none.
bool read_value(const fs::path& folder, const std::string& prefix, int index, Tensor& tensor) {
  const fs::path path = folder / "test_data_set_0" / (prefix + std::to_string(index) + ".pb");
  if (!fs::exists(path)) return false;
  tensor = stored(read<::onnx::TensorProto>(path));
  return true;
}

void expect_near(const Tensor& expected, const Tensor& actual) {
  ASSERT_EQ(expected.dims, actual.dims);
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (expected.values[i] == actual.values[i]) continue;
    if (std::isnan(expected.values[i]) && std::isnan(actual.values[i])) continue;
    ASSERT_NEAR(expected.values[i], actual.values[i], 2e-5 * (1 + std::abs(expected.values[i])))
        << i;
  }
}

/// Compares the test in `folder` if all of its operators are defined; adds them to `compared`.
void compare(const fs::path& folder, std::set<std::string>& compared) {
  SCOPED_TRACE(folder.filename().string());
  // The collection's values of bfloat16 do not match their type.
  if (folder.string().find("BFLOAT16") != std::string::npos) return;
  const auto model = read<::onnx::ModelProto>(folder / "model.onnx");
  std::set<std::string> operators;
  for (const auto& node : model.graph().node()) {
    if (!is_defined(node.op_type())) return;
    operators.insert(node.op_type());
  }
  std::map<std::string, Tensor> values;
  try {
    for (int index = 0; index < model.graph().input_size(); ++index) {
      const auto& input = model.graph().input(index);
      if (!input.type().has_tensor_type()) return;
      read_value(folder, "input_", index, values[input.name()]);
    }
    evaluate(model, values);
    for (int index = 0; index < model.graph().output_size(); ++index) {
      Tensor expected;
      if (!read_value(folder, "output_", index, expected)) return;
      expect_near(expected, values.at(model.graph().output(index).name()));
    }
  } catch (const std::invalid_argument&) {
    // A form that the random tests do not use, or numbers of other types.
    return;
  }
  compared.merge(operators);
}

std::set<std::string> compared_in(const fs::path& collection) {
  std::set<std::string> compared;
  for (const auto& entry : fs::directory_iterator(collection)) {
    if (fs::exists(entry.path() / "model.onnx")) compare(entry.path(), compared);
  }
  return compared;
}

#ifdef ONNX_TESTDATA
TEST(Definitions, AreOnnxs) {
  EXPECT_THAT(compared_in(fs::path(ONNX_TESTDATA) / "node"),
              testing::IsSupersetOf({"Add",       "Sub",         "Mul",        "Div",
                                     "Less",      "LessOrEqual", "Greater",    "GreaterOrEqual",
                                     "And",       "Max",         "Min",        "Relu",
                                     "Sigmoid",   "Tanh",        "Exp",        "Erf",
                                     "Sqrt",      "Neg",         "Abs",        "Softplus",
                                     "Not",       "IsNaN",       "Identity",   "LeakyRelu",
                                     "Where",     "MatMul",      "Gemm",       "Conv",
                                     "Softmax",   "LogSoftmax",  "ReduceMean", "ReduceSum",
                                     "Transpose", "Reshape",     "Unsqueeze",  "Expand",
                                     "Trilu",     "Range"}));
}
#endif

// 1 and 0 in the first row, 3 and 2 in the second: together or each for itself.
TEST(Definitions, SoftmaxOfOlderOpsetsIsOverAllFurtherAxes) {
  for (const int opset : {11, 12, 13}) {
    ::onnx::ModelProto model;
    model.add_opset_import()->set_version(opset);
    auto& node = *model.mutable_graph()->add_node();
    node.set_op_type("Softmax");
    node.add_input("x");
    node.add_output("y");
    auto& axis = *node.add_attribute();
    axis.set_name("axis");
    axis.set_i(1);
    std::map<std::string, Tensor> values{{"x", {{1, 2, 2}, {1, 0, 3, 2}}}};
    evaluate(model, values);
    const double all = std::exp(1) + 1 + std::exp(3) + std::exp(2);
    const double column = std::exp(1) + std::exp(3);
    EXPECT_NEAR(values["y"].values[0], std::exp(1) / (opset < 13 ? all : column), 1e-12);
    EXPECT_NEAR(values["y"].values[1], 1 / (opset < 13 ? all : 1 + std::exp(2)), 1e-12);
  }
}

}  // namespace
}  // namespace benanza::definitions
