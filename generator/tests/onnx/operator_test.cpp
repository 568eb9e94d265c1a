#include "generator/onnx/operators/shared/operator.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "generator/onnx/model/program.h"

namespace benanza::onnx {
namespace {

TEST(OperatorTable, AnOperatorIsRegisteredOnce) {
  OperatorTable table = make_operator_table();
  const Operator again;
  EXPECT_THROW(table.add("Slice", again), std::logic_error);
}

TEST(OperatorTable, SomethingIsKnownOfEveryOperator) {
  const OperatorTable table = make_operator_table();
  for (const auto& [op, known] : table.operators()) {
    EXPECT_TRUE(known.lower != nullptr || !known.unsupported.empty() || !known.shapes.empty())
        << op;
    EXPECT_FALSE(known.lower != nullptr && !known.unsupported.empty()) << op;
  }
}

// Slice has its own rule up to opset 9, Cast has one up to 5 and one from 18.
TEST(OperatorTable, ShapeRulesHoldForTheirOpsets) {
  const OperatorTable table = make_operator_table();
  const auto rule = [&](const char* op, int opset) {
    ::onnx::NodeProto proto;
    proto.set_op_type(op);
    return table.shape_function(Node(proto, "n", opset));
  };
  EXPECT_NE(rule("Slice", 9), nullptr);
  EXPECT_EQ(rule("Slice", 10), nullptr);
  EXPECT_NE(rule("Cast", 5), nullptr);
  EXPECT_EQ(rule("Cast", 6), nullptr);
  EXPECT_NE(rule("Cast", 18), nullptr);
  EXPECT_NE(rule("Cast", 5), rule("Cast", 18));
  EXPECT_EQ(rule("NobodyKnows", 18), nullptr);
}

}  // namespace
}  // namespace benanza::onnx
