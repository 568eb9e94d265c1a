#include "core/metrics/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"

namespace benanza {

/// A number, a counter, or an operation on its child nodes.
struct Expression::Node {
  /// 'n' number, 'c' counter, '<' min, '>' max, otherwise the operator itself.
  char kind = 'n';
  double number = 0;
  std::string name{};
  std::unique_ptr<Node> left{};
  std::unique_ptr<Node> right{};
};

namespace {

using ExpressionNode = Expression::Node;
using ExpressionNodePtr = std::unique_ptr<ExpressionNode>;

bool begins_counter(char letter) {
  return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool continues_counter(char letter) {
  return begins_counter(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
         letter == '.';
}

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::vector<std::string>& names)
      : text_(text), names_(names) {}

  ExpressionNodePtr parse() {
    ExpressionNodePtr node = sum();
    if (next() != '\0') fail("an operator");
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error("\"" + std::string(text_) + "\": " + wanted + " is missing at character " +
                std::to_string(at_ + 1));
  }

  /// Peeks at the next character that is not a space; 0 at the end.
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char letter) {
    if (next() != letter) return false;
    ++at_;
    return true;
  }

  ExpressionNodePtr pair(char kind, ExpressionNodePtr left, ExpressionNodePtr right) {
    auto node = std::make_unique<ExpressionNode>();
    node->kind = kind;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }

  ExpressionNodePtr sum() {
    ExpressionNodePtr left = product();
    while (next() == '+' || next() == '-') {
      const char kind = text_[at_++];
      left = pair(kind, std::move(left), product());
    }
    return left;
  }

  ExpressionNodePtr product() {
    ExpressionNodePtr left = factor();
    while (next() == '*' || next() == '/') {
      const char kind = text_[at_++];
      left = pair(kind, std::move(left), factor());
    }
    return left;
  }

  ExpressionNodePtr factor() {
    // The text comes from a command line and is parsed recursively.
    constexpr int deepest = 200;
    if (++depth_ > deepest) throw Error("an expression of more than 200 levels is too deep");
    ExpressionNodePtr node;
    if (take('-')) {
      node = pair('-', std::make_unique<ExpressionNode>(), factor());
    } else if (take('(')) {
      node = sum();
      if (!take(')')) fail("a closing parenthesis");
    } else if (begins_counter(next())) {
      node = name();
    } else {
      node = number();
    }
    --depth_;
    return node;
  }

  ExpressionNodePtr name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_counter(text_[at_])) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if ((word == "min" || word == "max") && take('(')) {
      ExpressionNodePtr left = sum();
      if (!take(',')) fail("a comma");
      ExpressionNodePtr right = sum();
      if (!take(')')) fail("a closing parenthesis");
      return pair(word == "min" ? '<' : '>', std::move(left), std::move(right));
    }
    if (std::ranges::find(names_, word) == names_.end()) names_.push_back(word);
    auto node = std::make_unique<ExpressionNode>();
    node->kind = 'c';
    node->name = std::move(word);
    return node;
  }

  ExpressionNodePtr number() {
    next();
    const std::string rest(text_.substr(at_));
    // strtod would also accept signs and words like "inf".
    if (rest.empty() ||
        (std::isdigit(static_cast<unsigned char>(rest[0])) == 0 && rest[0] != '.')) {
      fail("a number or a counter");
    }
    char* end = nullptr;
    auto node = std::make_unique<ExpressionNode>();
    node->number = std::strtod(rest.c_str(), &end);
    if (end == rest.c_str() || !std::isfinite(node->number)) fail("a number or a counter");
    at_ += static_cast<std::size_t>(end - rest.c_str());
    return node;
  }

  std::string_view text_;
  std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

using Lookup = std::function<std::optional<double>(std::string_view name)>;

std::optional<double> expression_value(const ExpressionNode& node, const Lookup& counter) {
  if (node.kind == 'n') return node.number;
  if (node.kind == 'c') return counter(node.name);
  const auto left = expression_value(*node.left, counter);
  const auto right = expression_value(*node.right, counter);
  if (!left || !right) return std::nullopt;
  switch (node.kind) {
    case '+':
      return *left + *right;
    case '-':
      return *left - *right;
    case '*':
      return *left * *right;
    case '<':
      return std::min(*left, *right);
    case '>':
      return std::max(*left, *right);
    default:
      return *right == 0 ? std::nullopt : std::optional(*left / *right);
  }
}

}  // namespace

Expression::Expression(std::string_view text)
    : text_(without_spaces(text)), root_(ExpressionParser(text_, names_).parse()) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

std::optional<double> Expression::value(const Lookup& counter) const {
  return expression_value(*root_, counter);
}

Metric parse_metric(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == text.npos) {
    throw Error("\"" + std::string(text) + "\": a metric is NAME = EXPRESSION");
  }
  const std::string_view name = without_spaces(text.substr(0, equals));
  const bool is_name =
      !name.empty() && begins_counter(name.front()) && std::ranges::all_of(name, continues_counter);
  if (!is_name) {
    throw Error("\"" + std::string(text) + "\": the metric's name is letters, digits and _");
  }
  return {.name = std::string(name), .expression = Expression(text.substr(equals + 1))};
}

std::vector<std::string> gpu_metric_set(std::string_view name) {
  if (name == "memory") {
    // gpu__time_duration is in nanoseconds.
    return {"dram_bytes = dram__bytes_read.sum + dram__bytes_write.sum",
            "dram_bytes_per_second = (dram__bytes_read.sum + dram__bytes_write.sum) / "
            "gpu__time_duration.sum * 1e9",
            "l2_hit_percent = lts__t_sector_hit_rate.pct"};
  }
  if (name == "compute") {
    return {"ipc = smsp__inst_executed.sum / smsp__cycles_active.sum",
            "instructions = smsp__inst_executed.sum",
            "occupancy_percent = sm__warps_active.avg.pct_of_peak_sustained_active"};
  }
  if (name == "tensor") {
    const std::string matrix =
        "(sm__inst_executed_pipe_tensor_op_hmma.sum - "
        "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum + "
        "sm__inst_executed_pipe_tensor_op_gmma.sum + sm__inst_executed_pipe_tensor_op_imma.sum + "
        "sm__inst_executed_pipe_tensor_op_dmma.sum)";
    return {"matrix_instructions = " + matrix,
            "matrix_instruction_part = " + matrix + " / smsp__inst_executed.sum"};
  }
  throw Error("--metrics=" + std::string(name) + ": expected memory, compute or tensor");
}

}  // namespace benanza
