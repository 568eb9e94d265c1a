#include "analysis/input/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/profiles/read_profile.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

void require_backend(const std::string& backend, const Results& results) {
  if (backend.empty() || results.systems.contains(backend)) return;
  std::string known;
  for (const auto& [name, system] : results.systems) known += ' ' + name;
  throw Error("--backend " + backend + ": has no results; there are results of:" + known);
}

void require_used(const Profile& profile, const std::vector<Graph>& graphs) {
  std::string titles;
  for (const Graph& graph : graphs) {
    if (is_of(profile, graph)) return;
    if (!titles.empty()) titles += "; ";
    titles += title(graph);
  }
  throw Error(
      fmt::format("{}: profile of another model: of {}{}, and the graphs are of {}; give "
                  "that model's --graph, or leave the profile out",
                  profile.path.string(), profile.model,
                  profile.batch ? fmt::format(", batch {}", *profile.batch) : "", titles));
}

/// A run on a GPU says nothing of a processor's library, nor the other way round.
void require_same_kind(const Profile& profile, const Results& results) {
  const bool gpu = profile.timeline.has_value();
  if (results.systems.empty()) return;
  std::string backends;
  for (const auto& [backend, system] : results.systems) {
    if (system.contains("device") == gpu) return;
    backends += (backends.empty() ? "" : ", ") + backend;
  }
  throw Error(
      fmt::format("{}: profile of a run on {}, and the results ({}) are of {}; give results "
                  "of the profile's device, or leave the profile out",
                  profile.path.string(), gpu ? "a GPU" : "a processor", backends,
                  gpu ? "a processor" : "a GPU"));
}

}  // namespace

Choice choice_of(const QuestionFlags& flags, const std::string& precision) {
  Choice choice{.precision = precision_of(precision, "--precision"), .cold = flags.cold};
  if (!flags.layout.empty()) {
    choice.layout = parse_layout(flags.layout);
    if (!choice.layout) {
      throw Error("--layout " + flags.layout + ": not a layout: say nchw, nhwc, any or plain");
    }
  }
  if (!flags.backend.empty()) choice.backend = flags.backend;
  if (!flags.fallback.empty()) choice.fallback = precision_of(flags.fallback, "--fallback");
  if (choice.fallback == choice.precision) choice.fallback.reset();
  if (!flags.max_workspace.empty()) {
    choice.max_workspace_bytes = bytes_of(flags.max_workspace, "--max-workspace");
  }
  return choice;
}

std::size_t rows_of(const QuestionFlags& flags) {
  const std::string& text = flags.layers;
  if (text == "all") return std::numeric_limits<std::size_t>::max();
  const bool number =
      !text.empty() && text.size() < 10 &&
      std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
  if (!number) throw Error("--layers " + text + ": say a number or all");
  return std::stoul(text);
}

Precision precision_of(const std::string& text, std::string_view flag) {
  if (const auto precision = parse_precision(text)) return *precision;
  throw Error(
      fmt::format("{} {}: not a precision: say fp32, tf32, fp16, bf16, int8 or fp8", flag, text));
}

std::int64_t bytes_of(const std::string& text, std::string_view flag) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view units = "KMG";
  const std::size_t step = unit.empty() ? 0 : units.find(unit);
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (error != std::errc{} || value < 0 || value > most || step == std::string_view::npos) {
    throw Error(fmt::format("{} {}: say bytes, as in 4096, 64K, 512M or 2G", flag, text));
  }
  return unit.empty() ? value : value << (10 * (step + 1));
}

void require_complete(const Graph& graph, const std::vector<LayerTime>& times,
                      std::string_view kind) {
  std::string named;
  std::size_t count = 0;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    for (const Gap& gap : times[layer].gaps) {
      if (++count > 3) continue;
      named += fmt::format("{}{} ({}; layer \"{}\")", named.empty() ? "" : ", ", gap.key,
                           gap.reason, graph.layers[layer].name);
    }
  }
  if (count == 0) return;
  throw Error(fmt::format(
      "{}, {}: {} measurement{} missing: {}{}; run the benchmarks, or say "
      "--allow-missing for a partial bound",
      title(graph), kind, count, count == 1 ? " is" : "s are", named, count > 3 ? ", ..." : ""));
}

Question read_question(const QuestionFlags& flags) {
  if (flags.graphs.empty()) throw Error("say which model: --graph <model>.graph.json");
  if (flags.results.empty()) throw Error("say where the results are: --results FILE|DIR|DB");
  // Flags first: a typing error should not cost the reading of many files.
  Question question;
  for (const std::string& precision : flags.precisions) {
    question.choices.push_back(choice_of(flags, precision));
  }
  question.rows = rows_of(flags);
  question.movement = flags.movement == "include" ? Movement::include : Movement::exclude;
  question.allow_missing = flags.allow_missing;
  for (const std::string& path : flags.graphs) question.graphs.push_back(read_graph(path));
  for (const std::string& path : flags.profiles) {
    question.profiles.push_back(read_profile(path));
    require_used(question.profiles.back(), question.graphs);
  }
  question.results =
      read_results({flags.results.begin(), flags.results.end()}, problem_keys(question.graphs));
  require_backend(flags.backend, question.results);
  for (const Profile& profile : question.profiles) require_same_kind(profile, question.results);
  return question;
}

}  // namespace benanza::analysis
