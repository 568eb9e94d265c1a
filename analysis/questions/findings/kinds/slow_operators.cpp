// The framework's operators that take longer than the fastest calls for their layers.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/model/layer_time.h"
#include "analysis/model/selection.h"
#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

/// Operators that are slow.
struct SlowOperators {
  EqualProblems series{};
  Interval range{};

  void add(EqualProblems::Item item, const Interval& more) {
    series.add(std::move(item));
    range.low += more.low;
    range.high += more.high;
  }
};

/// All that one remedy may help.
struct Slow : SlowOperators {
  Remedy remedy{};
  Certainty certainty = Certainty::estimated;
  std::map<std::string, SlowOperators> by_operator{};

  /// "Conv (12, 0.340 ms), Add (1, 0.020 ms)", what loses most first.
  std::string operators_text() const {
    std::vector<std::pair<double, std::string>> texts;
    for (const auto& [op, some] : by_operator) {
      const double seconds = some.series.seconds();
      texts.emplace_back(seconds,
                         fmt::format("{} ({}, {})", op, some.series.size(), milliseconds(seconds)));
    }
    std::ranges::stable_sort(texts, std::ranges::greater{}, &std::pair<double, std::string>::first);
    std::vector<std::string> names;
    for (auto& text : texts) names.push_back(std::move(text.second));
    return enumerated(names, 4);
  }
};

std::string main_key(const Matter& matter, const std::vector<std::size_t>& layers) {
  std::string key;
  for (const std::size_t layer : layers) {
    for (const std::string& problem : matter.graph().layers[layer].problems) key += problem + ' ';
  }
  return key;
}

/// What a framework spends on operators without work, no other call can save.
bool has_work(const Matter& matter, const std::vector<std::size_t>& layers) {
  return std::ranges::any_of(
      layers, [&](std::size_t layer) { return matter.graph().layers[layer].cost != Cost::free; });
}

/// Seconds of the fastest call that takes tensors in NCHW; empty if not known. Of calls that were
/// not timed with weights from memory, the time with all in the cache, which is no longer.
std::optional<double> seconds_in_nchw(const Matter& matter, const Layer& layer,
                                      const std::string& problem) {
  MeasurementFilter filter = matter.subject().filter;
  filter.layout = Layout::nchw;
  const Precision precision = precision_of(layer, filter.precision);
  for (const MeasurementSet* const set :
       {&matter.subject().measurements(), &matter.subject().inputs.results.measurements}) {
    const Selected call = select_measurement(problem, *set, filter, precision);
    if (call.best != nullptr) return call.best->seconds();
  }
  return std::nullopt;
}

/// The same for all calls of the layers.
std::optional<double> seconds_in_nchw(const Matter& matter,
                                      const std::vector<std::size_t>& layers) {
  double sum = 0;
  for (const std::size_t layer : layers) {
    const Layer& one = matter.graph().layers[layer];
    for (const std::string& problem : one.problems) {
      const std::optional<double> seconds = seconds_in_nchw(matter, one, problem);
      if (!seconds) return std::nullopt;
      sum += *seconds;
    }
  }
  return sum;
}

/// Of a convolution in NCHW, what its best remedy is for: where most is lost because the fastest
/// calls take NHWC, another algorithm does not help, and the loss is due to the format.
struct Remedied {
  Remedy remedy{};
  /// How much of the loss the remedy is for.
  double share = 1;
  Certainty certainty = Certainty::estimated;
};

Remedied remedied(const Matter& matter, const Loss& loss, const std::string& op,
                  const std::vector<std::size_t>& layers) {
  Remedied made{.remedy = remedy_for_operators(matter, op)};
  const bool is_search = made.remedy.command == remedy_for_algorithms(matter).command;
  if (!is_search || matter.has_option("channels_last")) return made;
  const std::optional<double> nchw = seconds_in_nchw(matter, layers);
  if (!nchw || *nchw <= loss.bound_seconds) return made;
  const double by_algorithm = std::clamp((loss.seconds - *nchw) / loss.lost_seconds, 0.0, 1.0);
  made.share = std::max(by_algorithm, 1 - by_algorithm);
  if (by_algorithm < made.share) {
    made.remedy = remedy_for_layout(matter);
    // The framework's own kernels, of pooling for instance, may be slower in the other format.
    made.certainty = Certainty::at_most;
  }
  return made;
}

/// By the remedy's sentence.
std::map<std::string, Slow> slow_by_remedy(const Matter& matter) {
  std::map<std::string, Slow> found;
  for (const Loss& loss : matter.run()->losses.list) {
    const auto& layers = matter.run()->mapping.layers_of_node[loss.node];
    if (!has_work(matter, layers) || loss.within_noise || loss.lost_seconds <= 0) continue;
    const ProfiledNode& node = matter.profile().nodes[loss.node];
    const std::size_t layer = layers.front();
    const std::string op = node.op.empty() ? matter.graph().layers[layer].op : node.op;
    Remedied best = remedied(matter, loss, op, layers);
    const EqualProblems::Item item{
        .layer = layer,
        .key = main_key(matter, layers),
        .seconds = loss.lost_seconds * best.share,
        .note = fmt::format("{} us, the fastest calls {} us", microseconds(loss.seconds),
                            microseconds(loss.bound_seconds))};
    const Interval range{loss.range.low * best.share, loss.range.high * best.share};
    Slow& slow = found[best.remedy.action];
    slow.remedy = std::move(best.remedy);
    slow.certainty = best.certainty;
    slow.add(item, range);
    slow.by_operator[op].add(item, range);
  }
  return found;
}

std::vector<Finding> slow_operators(const Matter& matter) {
  // Times of launches say nothing about the operators.
  if (matter.run() == nullptr || !matter.profile().launched_on.empty()) return {};
  std::vector<Finding> findings;
  for (const auto& [action, slow] : slow_by_remedy(matter)) {
    const bool is_one = slow.series.size() == 1;
    findings.push_back(
        {.cause = "slow operators",
         .what = fmt::format("{} {} of {} {} longer than the fastest calls for the same layers: "
                             "{}; most is lost in {}.",
                             slow.series.size(), is_one ? "operator" : "operators",
                             matter.framework(), is_one ? "takes" : "take", slow.operators_text(),
                             slow.series.worst_text(matter)),
         .layers = slow.series.layers(),
         .gain_seconds = slow.series.seconds(),
         .interval = slow.range,
         .certainty = slow.certainty,
         .affects = Affects::device,
         .leads_to_seconds = matter.reachable_seconds(),
         .plan = matter.plan(),
         .remedy = slow.remedy});
  }
  return findings;
}

}  // namespace

FindingKind slow_operators_kind() { return {slow_operators}; }

}  // namespace benanza::analysis
