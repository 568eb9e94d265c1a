// The ONNX project's own operator tests. They check lowerings and references together.
#include "suites/tests/onnx_node_case.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>

#include "core/base/error.h"
#include "generator/onnx/operators/shared/operator.h"

namespace benanza::onnx {
namespace {

/// Operators that have no test with floating-point inputs and outputs in the collection.
const std::set<std::string> without_tests{
    "Cast", "CastLike", "Equal", "Constant", "ConstantOfShape", "ImageScaler", "Shape", "Size",
    // Newer than the collection.
    "Gelu", "Swish", "Mish", "GroupNormalization", "RMSNormalization",
    "SimplifiedLayerNormalization", "LpNormalization", "Attention", "RotaryEmbedding", "SwiGLU",
    "BitCast", "LinearAttention", "CausalConvWithState",
    // The problem compares with one number, not with the tensor itself.
    "IsNaN",
    // Another call stands for them.
    "ArgMax", "ArgMin", "TopK", "ReverseSequence", "OneHot", "Range",
    // Their tests read or return sequences; those of SequenceAt and such become other operators.
    "SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SequenceLength",
    "SplitToSequence", "Optional",
    // ONNX has no test of it.
    "GlobalLpPool", "LpPool",
    // Integers, for which the problems have no scales.
    "QLinearConv", "ConvInteger", "QLinearMatMul", "MatMulInteger", "QuantizeLinear",
    "DequantizeLinear", "DynamicQuantizeLinear",
    // Its tests are of integers, which are unsupported.
    "Trilu",
    // The source of the elements is known only at run time.
    "Compress", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND",
    "TensorScatter"};

/// Tests whose results ONNX Runtime does not have either: 1.32.0 counts what lies in the padded
/// image.
const std::set<std::string> disputed{
    "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True"};

/// Whether the operator has a lowering or a reason why it is unsupported.
bool is_covered(const Operator* known) {
  return known != nullptr && (known->lower != nullptr || !known->unsupported.empty());
}

class Collection {
 public:
  explicit Collection(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void run() {
    const OperatorTable table = make_operator_table();
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
  /// Counts of operators that exporters decompose.
  const std::map<std::string, int>& per_whole_operator() const { return per_whole_operator_; }

 private:
  void run_one(const std::filesystem::path& folder, const OperatorTable& table) {
    const std::string name = folder.filename().string();
    SCOPED_TRACE(name);
    if (disputed.contains(name)) {
      skipped_.push_back(name + ": ONNX Runtime's result is another");
      return;
    }
    try {
      const ::onnx::ModelProto model = read_model(folder / "model.onnx");
      for (const auto& node : model.graph().node()) {
        if (!is_covered(table.find(node.op_type()))) {
          ++foreign_;
          return;
        }
      }
      NodeTest test(folder);
      const std::set<std::string> operators = test.compare(false);
      test.compare(true);
      for (const std::string& op : operators) ++per_operator_[op];
      for (const std::string& whole : test.whole_operators()) ++per_whole_operator_[whole];
      ++compared_;
    } catch (const Skipped& reason) {
      skipped_.push_back(name + ": " + reason.what());
    } catch (const Error& reason) {
      // Models may only be refused for inputs without elements.
      EXPECT_THAT(reason.what(), testing::HasSubstr("must be at least 1"));
      skipped_.push_back(reason.what());
    }
  }

  std::filesystem::path folder_;
  int compared_ = 0;
  int foreign_ = 0;
  std::vector<std::string> skipped_;
  std::map<std::string, int> per_operator_;
  std::map<std::string, int> per_whole_operator_;
};

TEST(OnnxNodeTests, EveryTestOfACoveredOperator) {
  Collection nodes(std::filesystem::path(ONNX_TESTDATA) / "node");
  nodes.run();
  EXPECT_GE(nodes.compared(), 218);
  for (const char* whole : {"hardswish", "softmax", "logsoftmax", "square"}) {
    EXPECT_GE(nodes.per_whole_operator().count(whole), 1U) << whole << " was never put together";
  }
  const OperatorTable table = make_operator_table();
  for (const auto& [op, known] : table.operators()) {
    if (known.lower == nullptr || without_tests.contains(op) || op.find('.') != std::string::npos) {
      continue;
    }
    EXPECT_GE(nodes.per_operator().count(op), 1U) << op << " has no test that was compared";
  }
}

/// Operators newer than the packaged collection, from a part of onnx 1.19.1's collection.
TEST(OnnxNodeTests, NewerOperators) {
  Collection nodes(std::filesystem::path(TEST_DATA) / "onnx_node_1.19");
  nodes.run();
  for (const char* op : {"Attention", "Gelu", "GroupNormalization", "RMSNormalization",
                         "LpNormalization", "RotaryEmbedding"}) {
    EXPECT_GE(nodes.per_operator().count(op), 1U) << op << " has no test that was compared";
  }
  EXPECT_GE(nodes.compared(), 30);
}

/// Operators with a state, whose results are those of onnx 1.23.2's reference evaluator.
TEST(OnnxNodeTests, OperatorsWithAState) {
  Collection nodes(std::filesystem::path(TEST_DATA) / "onnx_node_1.23");
  nodes.run();
  EXPECT_EQ(nodes.compared(), 8);
}

TEST(OnnxNodeTests, ModelsThatPyTorchExported) {
  Collection models(std::filesystem::path(ONNX_TESTDATA) / "pytorch-converted");
  models.run();
  EXPECT_GE(models.compared(), 60);
}

}  // namespace
}  // namespace benanza::onnx
