#include "core/metrics/expression.h"

#include <gmock/gmock.h>

#include <map>

#include "core/base/error.h"

namespace benanza {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<double> value(const std::string& text) {
  const std::map<std::string, double, std::less<>> counters{
      {"a", 6}, {"b", 3}, {"zero", 0}, {"smsp__inst_executed.sum", 10}};
  return Expression(text).value([&](std::string_view name) -> std::optional<double> {
    const auto found = counters.find(name);
    return found == counters.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string refusal(const std::string& text) {
  try {
    Expression expression(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, OperatorsBindAsInArithmetic) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("8 - 4 - 2"), 2);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("-2 * -3 - -1"), 7);
  EXPECT_EQ(value("2*-(1+1)"), -4);
  EXPECT_EQ(value("1.5e3 + .5"), 1500.5);
  EXPECT_EQ(value("min(a, b) + max(a, b) * 10"), 63);
}

TEST(Expression, CountersByTheirNames) {
  EXPECT_EQ(value("a/b"), 2);
  EXPECT_EQ(value(" smsp__inst_executed.sum / (a - 1) "), 2);
  EXPECT_THAT(Expression("x.sum / (y + x.sum) + min").names(), ElementsAre("x.sum", "y", "min"));
}

TEST(Expression, WhatIsNotKnownIsNoNumber) {
  EXPECT_EQ(value("a + nothing"), std::nullopt);
  EXPECT_EQ(value("a / zero"), std::nullopt);
  EXPECT_EQ(value("zero / a"), 0);
  EXPECT_EQ(value("max(a, nothing)"), std::nullopt);
}

TEST(Expression, MistakesHaveTheirPlace) {
  EXPECT_EQ(refusal("1 +"), "\"1 +\": a number or a counter is missing at character 4");
  EXPECT_EQ(refusal("(a"), "\"(a\": a closing parenthesis is missing at character 3");
  EXPECT_EQ(refusal("a b"), "\"a b\": an operator is missing at character 3");
  EXPECT_THAT(refusal("min(a b)"), HasSubstr("a comma is missing at character 7"));
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("a $ b"), "");
  EXPECT_NE(refusal("1e999"), "");
  EXPECT_THAT(refusal(std::string(1000, '(')), HasSubstr("too deep"));
}

TEST(Metric, HasANameAndAnExpression) {
  const Metric metric = parse_metric(" ipc = instructions / cycles ");
  EXPECT_EQ(metric.name, "ipc");
  EXPECT_EQ(metric.expression.text(), "instructions / cycles");
  EXPECT_THROW(parse_metric("instructions / cycles"), Error);
  EXPECT_THROW(parse_metric("2x = 1"), Error);
  EXPECT_THROW(parse_metric(" = 1"), Error);
}

}  // namespace
}  // namespace benanza
