#include "analysis/questions/deepbench/published.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

constexpr std::string_view list_name = "deepbench.";

std::string_view without_list(std::string_view op) {
  return op.starts_with(list_name) ? op.substr(list_name.size()) : op;
}

[[noreturn]] void fail(std::string_view line) {
  throw Error("published times of DeepBench: a line that is none: " + std::string(line));
}

struct PublishedColumn {
  std::string hardware;
  Precision precision = Precision::fp32;
};

std::vector<PublishedColumn> columns_of(std::string_view head) {
  std::vector<PublishedColumn> columns;
  const auto names = text::split(head, '\t');
  for (std::size_t index = 2; index < names.size(); ++index) {
    const std::size_t slash = names[index].find('/');
    if (slash == std::string_view::npos) fail(head);
    const auto precision = parse_precision(names[index].substr(slash + 1));
    if (!precision) fail(head);
    columns.push_back({std::string(names[index].substr(0, slash)), *precision});
  }
  return columns;
}

}  // namespace

std::optional<ListedProblem> listed_problem(const Layer& layer) {
  if (!layer.op.starts_with(list_name)) return std::nullopt;
  ListedProblem problem{.op = std::string(without_list(layer.op)),
                        .sizes = layer.name.substr(0, layer.name.find(" ("))};
  const std::size_t dot = problem.op.find('.');
  const std::string pass = dot == std::string::npos ? "fwd" : problem.op.substr(dot + 1);
  if (problem.sizes.ends_with(' ' + pass)) {
    problem.sizes.resize(problem.sizes.size() - pass.size() - 1);
  }
  return problem;
}

bool is_list(const Graph& graph) {
  return std::ranges::any_of(graph.layers,
                             [](const Layer& layer) { return listed_problem(layer).has_value(); });
}

Published::Published(std::string_view table) {
  constexpr double milliseconds = 1e-3;
  std::vector<PublishedColumn> columns;
  for (const std::string_view line : text::split(table, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    if (columns.empty()) {
      columns = columns_of(line);
      continue;
    }
    const auto values = text::split(line, '\t');
    if (values.size() != columns.size() + 2) fail(line);
    const ListedProblem problem{std::string(without_list(values[0])), std::string(values[1])};
    for (std::size_t index = 0; index < columns.size(); ++index) {
      const std::string_view value = values[index + 2];
      if (value == "-") continue;
      const auto time = text::number<double>(value);
      if (!time || !(*time > 0)) fail(line);
      times_[{problem, columns[index].precision}][columns[index].hardware] = *time * milliseconds;
    }
  }
}

const PublishedTimes& Published::times(const ListedProblem& problem, Precision precision) const {
  static const PublishedTimes none;
  const auto found = times_.find({problem, precision});
  return found == times_.end() ? none : found->second;
}

const PublishedTimes::value_type* DeepBenchRow::fastest_published() const {
  const auto least = std::ranges::min_element(*published, {}, &PublishedTimes::value_type::second);
  return least == published->end() ? nullptr : &*least;
}

std::map<std::string, ListSum> list_sums(const Graph& graph,
                                         const std::vector<DeepBenchRow>& rows) {
  std::map<std::string, ListSum> sums;
  for (const DeepBenchRow& row : rows) {
    ListSum& sum = sums[row.problem.op];
    ++sum.rows;
    const Layer& layer = graph.layers[row.layer];
    if (!row.time->seconds || !layer.flops) continue;
    ++sum.timed;
    sum.seconds += *row.time->seconds;
    sum.flops += *layer.flops;
  }
  return sums;
}

std::map<std::pair<std::string, std::string>, CommonSum> common_sums(
    const std::vector<DeepBenchRow>& rows) {
  std::map<std::pair<std::string, std::string>, CommonSum> sums;
  for (const DeepBenchRow& row : rows) {
    if (!row.time->seconds) continue;
    for (const auto& [hardware, seconds] : *row.published) {
      CommonSum& sum = sums[{row.problem.op, hardware}];
      ++sum.rows;
      sum.here_seconds += *row.time->seconds;
      sum.published_seconds += seconds;
    }
  }
  return sums;
}

}  // namespace benanza::analysis
