#include "record/problems/recorded_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "record/problems/steps.h"
#include "record/store/attribution.h"
#include "record/store/launches.h"

namespace benanza::record {
namespace {

/// Nobody could read the results of a larger suite.
constexpr std::size_t most_calls = 200'000;

/// Whether the layers of a graph state the precision of their calls.
enum class OwnPrecision { stated, left_out };

/// The distinct calls of a recording and what they are as problems, in the same order.
struct Calls {
  const std::vector<CallTotal>& totals;
  const std::vector<CallProblems>& problems;
  OwnPrecision own_precision = OwnPrecision::left_out;
  /// The precision of all, if it is one.
  std::string precision{};
};

/// Builds the layers of one graph.
class Layers {
 public:
  explicit Layers(const Calls& calls) : calls_(calls) {}

  /// Adds a call that ran `times` times.
  void add(std::size_t call, std::size_t times) {
    const CallProblems& problems = calls_.problems[call];
    const std::string& kind = calls_.totals[call].text.kind;
    Layer layer{.name = fmt::format("{}_{}", layers_.size() + 1, kind), .op = kind};
    if (times > 1) layer.name += fmt::format(" x{}", times);
    if (!layers_.empty()) layer.inputs.push_back(layers_.size() - 1);
    if (problems.problems.empty()) {
      layer.cost = Cost::unsupported;
      layer.reason = problems.reason;
    } else {
      layer.cost = problems.moves ? Cost::movement : Cost::measured;
      double flops = 0;
      double bytes = 0;
      for (std::size_t time = 0; time < times; ++time) {
        for (const Problem& problem : problems.problems) {
          const Work once = work(problem, Precision::fp32);
          flops += once.flops;
          bytes += static_cast<double>(once.bytes());
          layer.problems.push_back(key(problem));
        }
      }
      layer.flops = flops;
      layer.bytes = bytes;
      if (calls_.own_precision == OwnPrecision::stated && problems.precision) {
        layer.precision = to_string(*problems.precision);
      }
    }
    layers_.push_back(std::move(layer));
    for (const std::string& variant : problems.variants) {
      if (std::ranges::find(recorded_, variant) == recorded_.end()) recorded_.push_back(variant);
    }
  }

  Graph take(const std::string& name) {
    return {.model = name,
            .layers = std::move(layers_),
            .recorded = std::move(recorded_),
            .precision = calls_.precision};
  }

 private:
  const Calls& calls_;
  std::vector<Layer> layers_;
  std::vector<std::string> recorded_;
};

/// At which precisions the distinct calls that have problems ran.
class Precisions {
 public:
  explicit Precisions(const std::vector<CallProblems>& calls) {
    for (const CallProblems& call : calls) {
      if (call.problems.empty()) continue;
      if (call.precision) {
        ++of(*call.precision);
      } else {
        ++unknown_;
      }
    }
  }

  /// In the order of first occurrence.
  std::vector<Precision> list() const {
    std::vector<Precision> precisions;
    for (const auto& [precision, calls] : counts_) precisions.push_back(precision);
    return precisions;
  }

  /// What the user would otherwise not notice: that calls ran at several precisions, at others than
  /// those `asked` for, or at one that is not known.
  std::vector<std::string> summary(const std::vector<Precision>& asked) const {
    std::vector<std::string> lines;
    const bool is_as_asked = counts_.empty() || (counts_.size() == 1 && asked.size() == 1 &&
                                                 counts_.front().first == asked.front());
    if (asked.empty() && counts_.size() > 1) {
      lines.push_back("distinct calls by precision: " + text(counts_) +
                      ": each layer states its own and counts at it, whatever --precision "
                      "benanza-analyze is asked for");
    } else if (!asked.empty() && !is_as_asked) {
      lines.push_back("distinct calls by precision: " + text(counts_) + ": all are taken at " +
                      text(asked) + " instead, as --precision says");
    }
    if (unknown_ > 0) {
      lines.push_back(fmt::format(
          "{} distinct calls do not say their precision: they count at the one that is asked for",
          unknown_));
    }
    return lines;
  }

 private:
  using Counts = std::vector<std::pair<Precision, std::size_t>>;

  std::size_t& of(Precision precision) {
    for (auto& [known, calls] : counts_) {
      if (known == precision) return calls;
    }
    return counts_.emplace_back(precision, 0).second;
  }

  static std::string text(const Counts& counts) {
    std::string list;
    for (const auto& [precision, calls] : counts) {
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", to_string(precision), calls);
    }
    return list;
  }

  static std::string text(const std::vector<Precision>& precisions) {
    std::string list;
    for (const Precision precision : precisions) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", to_string(precision));
    }
    return list;
  }

  Counts counts_;
  std::size_t unknown_ = 0;
};

/// The distinct calls in the order of first occurrence, and how often each occurs.
std::vector<std::pair<std::size_t, std::size_t>> counted(const std::vector<std::uint32_t>& calls) {
  std::vector<std::pair<std::size_t, std::size_t>> list;
  std::map<std::uint32_t, std::size_t> places;
  for (const std::uint32_t call : calls) {
    const auto [place, is_new] = places.try_emplace(call, list.size());
    if (is_new) list.emplace_back(call, 0);
    ++list[place->second].second;
  }
  return list;
}

/// The number of keys of an attention that reads what earlier steps have kept.
std::optional<std::int64_t> kept_keys(const CallProblems& call) {
  if (call.problems.size() != 1) return std::nullopt;
  const auto* attention = std::get_if<Attention>(&call.problems.front().shape);
  if (attention == nullptr || attention->keys <= attention->queries) return std::nullopt;
  return attention->keys;
}

/// The calls as numbers that are equal for calls that differ in the number of kept keys alone.
std::vector<std::uint32_t> patterns_of(const std::vector<std::uint32_t>& calls,
                                       const std::vector<CallTotal>& totals,
                                       const std::vector<CallProblems>& problems) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> places;
  std::vector<std::uint32_t> of_total(totals.size());
  for (std::uint32_t total = 0; total < totals.size(); ++total) {
    of_total[total] = total;
    if (!kept_keys(problems[total])) continue;
    Problem one = problems[total].problems.front();
    auto& attention = std::get<Attention>(one.shape);
    attention.keys = attention.queries + 1;
    if (!attention.mask.empty()) attention.mask.back() = 1;
    of_total[total] =
        places.try_emplace({key(one), totals[total].text.memory}, total).first->second;
  }
  std::vector<std::uint32_t> patterns;
  for (const std::uint32_t call : calls) patterns.push_back(of_total[call]);
  return patterns;
}

/// How many keys the steps' attention reads, if that grows: "513 to 536 keys".
std::string growth_of(const Repeated& step, const std::vector<std::uint32_t>& sequence,
                      const std::vector<CallProblems>& problems) {
  std::optional<std::int64_t> least;
  std::int64_t most = 0;
  for (const std::size_t begin : step.begins) {
    for (std::size_t at = begin; at < begin + step.length; ++at) {
      const auto keys = kept_keys(problems[sequence[at]]);
      if (!keys) continue;
      least = std::min(least.value_or(*keys), *keys);
      most = std::max(most, *keys);
    }
  }
  return least && *least < most ? fmt::format("{} to {} keys", *least, most) : "";
}

/// The step of a program. If a step repeats another one whose attention reads more keys every time
/// (a text that a model continues), that one.
std::optional<Repeated> step_of(const std::vector<std::uint32_t>& sequence,
                                const std::vector<CallTotal>& totals,
                                const std::vector<CallProblems>& problems) {
  const std::vector<std::uint32_t> patterns = patterns_of(sequence, totals, problems);
  const std::optional<Repeated> step = repeated_step(patterns);
  if (!step) return scattered_step(patterns);
  const auto first = patterns.begin() + static_cast<std::ptrdiff_t>(step->begins.front());
  const std::vector<std::uint32_t> one(first, first + static_cast<std::ptrdiff_t>(step->length));
  const std::optional<Repeated> inner = repeated_step(one);
  if (!inner) return step;
  Repeated all =
      occurrences(patterns, std::span(one).subspan(inner->begins.front(), inner->length));
  return growth_of(all, sequence, problems).empty() ? *step : all;
}

/// All calls if nothing else is left.
std::vector<std::uint32_t> without_searches(const std::vector<std::uint32_t>& calls,
                                            const std::vector<CallTotal>& totals) {
  std::vector<const CallText*> texts;
  for (const std::uint32_t call : calls) texts.push_back(&totals[call].text);
  const std::vector<bool> searches = search_calls(texts);
  std::vector<std::uint32_t> kept;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    if (!searches[at]) kept.push_back(calls[at]);
  }
  return kept.empty() ? calls : kept;
}

Graph counted_graph(const std::string& name, const std::vector<std::uint32_t>& sequence,
                    const Calls& calls) {
  if (sequence.size() > most_calls) {
    throw Error(fmt::format("{}: {} calls that no step repeats are too many; record a shorter run",
                            name, sequence.size()));
  }
  Layers layers(calls);
  for (const auto& [call, times] : counted(sequence)) layers.add(call, times);
  return layers.take(name);
}

/// Adds the step that a sequence repeats, once (of steps that grow the middle one), and what
/// surrounds the steps in the same way; or, without a step, every distinct call.
void add_steps(RecordedGraphs& result, const std::string& name,
               const std::vector<std::uint32_t>& sequence, const Calls& calls) {
  const auto step = step_of(sequence, calls.totals, calls.problems);
  if (!step) {
    if (result.graphs.empty()) {
      result.summary.push_back(
          fmt::format("{}: {} calls, no repeated step: every distinct call once, with its count",
                      name, sequence.size()));
    }
    result.graphs.push_back(counted_graph(name, sequence, calls));
    return;
  }
  if (step->length > most_calls) {
    throw Error(fmt::format("{}: its step has {} calls, too many for a suite", name, step->length));
  }
  Layers layers(calls);
  const std::string growth = growth_of(*step, sequence, calls.problems);
  const std::size_t shown = growth.empty() ? 0 : step->times() / 2;
  for (std::size_t at = 0; at < step->length; ++at) {
    layers.add(sequence[step->begins[shown] + at], 1);
  }
  result.graphs.push_back(layers.take(name));
  result.summary.push_back(fmt::format(
      "{}: a step of {} calls, repeated {} times{}", name, step->length, step->times(),
      growth.empty() ? "" : fmt::format(" with {}; shown: number {}", growth, shown + 1)));
  const std::vector<std::uint32_t> rest = without(sequence, *step);
  if (rest.empty()) return;
  result.summary.push_back(
      fmt::format("{}_rest: {} calls before and behind the steps", name, rest.size()));
  add_steps(result, name + "_rest", rest, calls);
}

}  // namespace

RecordedGraphs recorded_graphs(const std::string& name, const std::vector<CallTotal>& totals,
                               const std::vector<std::uint32_t>& all,
                               const std::vector<Precision>& asked, const std::vector<Log>& logs) {
  if (all.empty()) {
    throw Error(
        name + ": holds no call: the program never called oneDNN, or printed to a file of its own");
  }
  RecordedGraphs result;
  const std::vector<std::uint32_t> sequence = without_searches(all, totals);
  if (sequence.size() < all.size()) {
    result.summary.push_back(fmt::format("{}: {} of {} calls search for an algorithm: left out",
                                         name, all.size() - sequence.size(), all.size()));
  }
  std::vector<CallProblems> problems;
  std::size_t strided = 0;
  std::size_t other_results = 0;
  std::size_t unsupported = 0;
  for (const CallTotal& total : totals) {
    problems.push_back(problems_of_call(logs, total.text));
    const CallProblems& call = problems.back();
    strided += call.taken_as_dense ? 1 : 0;
    other_results += call.taken_as_operands && !call.problems.empty() ? 1 : 0;
    unsupported += call.problems.empty() ? 1 : 0;
  }
  const Precisions found(problems);
  result.precisions = found.list();
  if (unsupported == totals.size()) {
    throw Error(name + ": no call has a problem: " + problems.front().reason);
  }
  const bool is_mixed = asked.empty() && result.precisions.size() > 1;
  const std::vector<Precision>& taken = asked.empty() ? result.precisions : asked;
  const Calls calls{.totals = totals,
                    .problems = problems,
                    .own_precision = is_mixed ? OwnPrecision::stated : OwnPrecision::left_out,
                    .precision = std::string(taken.size() == 1 ? to_string(taken.front()) : "")};
  add_steps(result, name, sequence, calls);
  result.summary.push_back(fmt::format("{} distinct calls, {} of them with a problem",
                                       totals.size(), totals.size() - unsupported));
  for (std::string& line : found.summary(asked)) result.summary.push_back(std::move(line));
  for (std::size_t call = 0; call < totals.size(); ++call) {
    if (problems[call].problems.empty()) {
      result.summary.push_back(fmt::format("unsupported, called {} times: {}", totals[call].calls,
                                           problems[call].reason));
    }
  }
  if (strided > 0) {
    result.summary.push_back(
        fmt::format("{} distinct calls have tensors with gaps: taken as dense", strided));
  }
  if (other_results > 0) {
    result.summary.push_back(fmt::format(
        "{} distinct products have results of another type than their operands: taken as theirs",
        other_results));
  }
  return result;
}

RecordedGraphs graphs_of_recording(const std::filesystem::path& recording,
                                   const std::vector<Precision>& asked,
                                   const std::vector<Log>& logs) {
  const RecordingReader reader(recording, logs);
  const std::vector<CallTotal> all = reader.totals();
  const std::vector<std::uint32_t> read = reader.sequence();
  // Drops calls that another call made, and renumbers the rest.
  std::vector<CallTotal> totals;
  std::vector<std::uint32_t> sequence;
  std::map<std::uint32_t, std::uint32_t> places;
  for (const std::size_t at : call_order(reader)) {
    const auto [place, is_new] =
        places.try_emplace(read[at], static_cast<std::uint32_t>(totals.size()));
    if (is_new) {
      totals.push_back(all[read[at]]);
      totals.back().calls = 0;
    }
    ++totals[place->second].calls;
    sequence.push_back(place->second);
  }
  return recorded_graphs(recording.stem().string(), totals, sequence, asked, logs);
}

}  // namespace benanza::record
