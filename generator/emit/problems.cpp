#include "generator/emit/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace benanza::emit {
namespace {

constexpr std::size_t most_models = 2;
constexpr std::size_t most_names = 2;

void note_use(ProblemUse& problem, const std::string& model, const std::string& layer) {
  const auto found =
      std::ranges::find_if(problem.users, [&](const auto& user) { return user.model == model; });
  auto& user = found == problem.users.end()
                   ? problem.users.emplace_back(ProblemUse::Layers{model, {}})
                   : *found;
  // The same layer may need the problem at another batch or by another call.
  if (std::ranges::find(user.names, layer) == user.names.end()) {
    user.names.push_back(layer);
  }
}

/// Makes a name safe in a comment: no line breaks, and no backslash that would continue the line.
std::string comment_text(std::string text) {
  for (char& letter : text) {
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\\') letter = '?';
  }
  return text;
}

std::string describe_users(const ProblemUse& problem) {
  std::string text;
  for (std::size_t model = 0; model < problem.users.size(); ++model) {
    const auto& user = problem.users[model];
    if (!text.empty()) text += "; ";
    if (model == most_models && problem.users.size() > most_models + 1) {
      text += fmt::format("{} more models", problem.users.size() - model);
      break;
    }
    text += user.model + ": ";
    for (std::size_t index = 0; index < std::min(most_names, user.names.size()); ++index) {
      text += (index > 0 ? ", " : "") + user.names[index];
    }
    if (user.names.size() > most_names) text += ", ...";
    text += fmt::format(" ({})", user.names.size());
  }
  return comment_text(text);
}

/// Sorts by operator, then by users, so that a layer's problems at all batches are adjacent.
std::vector<ProblemUse> grouped(std::vector<ProblemUse> problems) {
  struct Ranked {
    std::string op;
    std::size_t group;
    ProblemUse problem;
  };
  std::map<std::string, std::size_t> groups;
  std::vector<Ranked> ranked;
  for (ProblemUse& problem : problems) {
    const std::size_t group = groups.emplace(describe_users(problem), groups.size()).first->second;
    ranked.push_back({operator_of(problem.key), group, std::move(problem)});
  }
  std::ranges::stable_sort(ranked, [](const Ranked& left, const Ranked& right) {
    return std::tie(left.op, left.group) < std::tie(right.op, right.group);
  });
  std::transform(ranked.begin(), ranked.end(), problems.begin(),
                 [](Ranked& one) { return std::move(one.problem); });
  return problems;
}

}  // namespace

std::string operator_of(const std::string& key) { return key.substr(0, key.find('/')); }

std::vector<ProblemUse> collect_problems(const std::vector<const Graph*>& graphs) {
  std::vector<ProblemUse> problems;
  std::map<std::string, std::size_t> known;
  const auto add = [&](const std::string& key, const Graph& graph, const Layer& layer) {
    const auto [found, added] = known.emplace(key, problems.size());
    if (added) problems.push_back({.key = key, .users = {}});
    ProblemUse& problem = problems[found->second];
    note_use(problem, graph.model, layer.name);
    if (const auto stored = stored_precision(layer, key)) {
      problem.stored.insert(*stored);
    } else {
      problem.of_floats = true;
    }
  };
  for (const Graph* const one : graphs) {
    const Graph& graph = *one;
    for (const Layer& layer : graph.layers) {
      for (const std::string& key : layer.problems) add(key, graph, layer);
    }
    for (const Fusion& fusion : graph.fusions) {
      for (const std::string& key : problems_of(fusion)) {
        add(key, graph, graph.layers[fusion.layers.front()]);
      }
    }
    for (const LayoutTransform& transform : graph.transforms) {
      for (const auto* key : {&transform.to_nhwc, &transform.to_nchw}) {
        if (*key) add(**key, graph, graph.layers[transform.layer]);
      }
    }
  }
  return grouped(std::move(problems));
}

namespace {

/// The source of one table per operator, and the tables' names.
struct Tables {
  std::string source;
  std::string names;
};

Tables tables_of(const std::vector<ProblemUse>& problems, std::string_view suffix) {
  std::string tables;
  std::string names;
  std::string above;
  for (std::size_t index = 0; index < problems.size(); ++index) {
    const std::string op = operator_of(problems[index].key);
    const bool begins = index == 0 || operator_of(problems[index - 1].key) != op;
    const bool ends = index + 1 == problems.size() || operator_of(problems[index + 1].key) != op;
    if (begins) {
      tables += fmt::format("\nconstexpr const char* {}{}[] = {{\n", op, suffix);
      names += (names.empty() ? "" : ", ") + op + std::string(suffix);
    }
    // Problems of the same layers share a comment.
    std::string users = describe_users(problems[index]);
    if (begins || users != above) tables += fmt::format("    // {}\n", users);
    tables += fmt::format("    \"{}\",\n", problems[index].key);
    above = std::move(users);
    if (ends) tables += "};\n";
  }
  return {std::move(tables), std::move(names)};
}

template <class Holds>
std::vector<ProblemUse> those(const std::vector<ProblemUse>& problems, const Holds& holds) {
  std::vector<ProblemUse> found;
  std::ranges::copy_if(problems, std::back_inserter(found), holds);
  return found;
}

}  // namespace

std::string problems_source(const std::vector<ProblemUse>& problems,
                            const std::vector<Precision>& precisions) {
  const Tables floats = tables_of(those(problems, &ProblemUse::of_floats), "");
  std::string source = floats.source;
  std::string stored;
  for (const Precision precision : all_precisions) {
    const Tables bytes = tables_of(
        those(problems, [&](const ProblemUse& use) { return use.stored.contains(precision); }),
        fmt::format("_{}", to_string(precision)));
    if (bytes.names.empty()) continue;
    source += bytes.source;
    stored += fmt::format("{}{{Precision::{}, {{{}}}}}", stored.empty() ? "" : ", ",
                          to_string(precision), bytes.names);
  }
  std::string precision_list;
  for (const Precision precision : precisions) {
    precision_list +=
        fmt::format("{}Precision::{}", precision_list.empty() ? "" : ", ", to_string(precision));
  }
  if (!stored.empty()) stored = fmt::format(", .stored_problems = {{{}}}", stored);
  return fmt::format(R"(// Generated by benanza-generate, do not edit.
// {} problems. Above some: the layers that ask for each of them, and how many there are.
#include "suites/harness/registration.h"

namespace benanza {{
namespace {{
{}
}}  // namespace

Registration registration() {{
  return {{.problems = {{{}}}, .precisions = {{{}}}{}}};
}}

}}  // namespace benanza
)",
                     problems.size(), source, floats.names, precision_list, stored);
}

}  // namespace benanza::emit
