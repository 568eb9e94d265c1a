#include "generator/onnx/operators/shared/operator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>

#include "core/base/file.h"
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

/// The operators of each row of docs/contrib.md, without their domain.
std::vector<std::vector<std::string>> documented() {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(
      read_file(std::filesystem::path(TEST_DATA) / "../../../docs/contrib.md"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| is ")) continue;
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t start = line.find('`'); start != std::string::npos;) {
      const std::size_t end = line.find('`', start + 1);
      row.push_back(line.substr(start + 1, end - start - 1));
      start = line.find('`', end + 1);
    }
  }
  return rows;
}

TEST(OperatorTable, TheDocumentSaysWhatBecomesOfThoseOfOnnxRuntime) {
  const OperatorTable table = make_operator_table();
  const auto rows = documented();
  ASSERT_EQ(rows.size(), 4U) << "problems, by parts, named with weights, named";
  std::set<std::string> all;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const std::string& name : rows[row]) {
      EXPECT_TRUE(all.insert(name).second) << name << " twice";
      const Operator* known = table.find("com.microsoft." + name);
      const bool has_problems =
          known != nullptr && (known->lower != nullptr || known->compose != nullptr);
      const bool reads_weights = known != nullptr && known->reads_all_constants;
      EXPECT_TRUE(row >= 2 || has_problems) << name;
      EXPECT_TRUE(row != 2 || (reads_weights && !has_problems)) << name;
      EXPECT_TRUE(row != 3 || !reads_weights) << name;
    }
  }
  EXPECT_EQ(all.size(), 151U);
  constexpr std::string_view domain = "com.microsoft.";
  for (const auto& [op, known] : table.operators()) {
    const std::string name = op.substr(std::min(op.size(), domain.size()));
    if (!op.starts_with(domain) || name.find('.') != std::string::npos) continue;
    EXPECT_TRUE(all.contains(name)) << op;
    const bool named = std::ranges::count(rows[2], name) + std::ranges::count(rows[3], name) > 0;
    EXPECT_TRUE(known.lower == nullptr || !named) << op;
  }
}

}  // namespace
}  // namespace benanza::onnx
