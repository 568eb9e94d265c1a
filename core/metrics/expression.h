#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benanza {

/// An arithmetic expression over counters: numbers, names ("smsp__inst_executed.sum"), + - * /,
/// parentheses, min(a, b) and max(a, b).
class Expression {
 public:
  /// Throws Error with the problem and its position.
  explicit Expression(std::string_view text);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  const std::string& text() const { return text_; }
  /// The names of all counters, each once, in order of appearance.
  const std::vector<std::string>& names() const { return names_; }
  /// Empty if a counter is unknown or a divisor is zero.
  std::optional<double> value(
      const std::function<std::optional<double>(std::string_view name)>& counter) const;

  struct Node;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::unique_ptr<Node> root_;
};

/// "ipc = instructions / cycles".
struct Metric {
  std::string name{};
  Expression expression;
};
/// Throws Error.
Metric parse_metric(std::string_view text);

/// The metrics of a set, each as "NAME = EXPRESSION" over CUPTI's counters for NVIDIA GPUs.
/// "memory": DRAM and L2 cache. "compute": instructions and occupancy. "tensor": Tensor Cores
/// (matrix instructions of different kinds do different amounts of work). Throws Error for any
/// other name.
std::vector<std::string> gpu_metric_set(std::string_view name);

}  // namespace benanza
