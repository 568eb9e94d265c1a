#include "analysis/questions/findings/matter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/model/spread.h"
#include "analysis/render/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

/// Beyond it, a GPU's idle time decides.
constexpr double idle_share = 0.1;

std::optional<Interval> spread_of_latency(const Latency& latency) {
  return latency.measured ? latency.measured->spread : std::nullopt;
}

}  // namespace

Matter::Matter(const Subject& subject, const BoundReport& bound)
    : subject_(subject), bound_(bound) {
  for (const Comparison& comparison : bound.comparisons) {
    if (comparison.latency && is_at(*comparison.profile, subject.filter)) run_ = &comparison;
  }
}

bool Matter::is_of_gpu() const {
  if (run_ != nullptr) return profile().is_of_gpu();
  const auto& systems = subject_.inputs.results.systems;
  return std::ranges::any_of(systems,
                             [](const auto& one) { return one.second.contains("device"); });
}

Baseline Matter::whole() const {
  if (run_ != nullptr) {
    return {.name = framework() + "'s latency",
            .seconds = run_->latency->seconds,
            .spread = spread_of_latency(*run_->latency)};
  }
  const Bound& bound = bound_.bounds.sequential;
  return {.name = "the bound", .seconds = bound.seconds, .spread = bound.spread};
}

Baseline Matter::device() const {
  if (run_ == nullptr || !profile().timeline) return whole();
  const double latency = run_->latency->seconds;
  if (run_->graph_latency && run_->graph_latency->seconds < latency) {
    return {.name = framework() + "'s latency as a CUDA graph",
            .seconds = run_->graph_latency->seconds,
            .spread = spread_of_latency(*run_->graph_latency)};
  }
  const double busy = profile().timeline->busy_seconds;
  if (!(busy > 0) || busy >= latency) return whole();
  return {.name = "the time in which the GPU is busy", .seconds = busy};
}

bool Matter::waits_for_host() const {
  const double latency = whole().seconds;
  return latency - device().seconds > idle_share * latency;
}

double Matter::least_seconds() const {
  const double sequential = bound_.bounds.sequential.seconds;
  const double fused = bound_.ladder.fused_seconds;
  return fused > 0 && bound_.ladder.only_fused.empty() ? std::min(fused, sequential) : sequential;
}

const SequenceRun* Matter::sequence() const {
  const SequenceRun* found = nullptr;
  for (const SequenceRun* const run : bound_.sequences) {
    if (found == nullptr || typical(run->seconds) < typical(found->seconds)) found = run;
  }
  return found;
}

double Matter::reachable_seconds() const {
  const SequenceRun* const timed = plan() == nullptr ? sequence() : nullptr;
  const double least = least_seconds();
  return timed == nullptr ? least : std::max(least, typical(timed->seconds));
}

Baseline Matter::reference(Affects affects) const {
  return affects == Affects::device && waits_for_host() ? device() : whole();
}

const PlanRun* Matter::plan(bool fused) const {
  const PlanRun* least = nullptr;
  for (const PlanRun* const run : bound_.plans) {
    if (fused && !run->fused) continue;
    if (least == nullptr || typical(run->seconds) < typical(least->seconds)) least = run;
  }
  return least;
}

std::string Matter::framework() const {
  const std::string& name = profile().framework;
  if (name == "pytorch") return "PyTorch";
  if (name == "onnxruntime") return "ONNX Runtime";
  if (name == "jax") return "JAX";
  return name;
}

bool Matter::has_option(std::string_view option) const {
  return run_ != nullptr && profile().has_option(option);
}

std::vector<std::size_t> Matter::layers_named(const std::vector<std::string>& names) const {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::vector<std::size_t> layers;
  for (std::size_t layer = 0; layer < graph().layers.size(); ++layer) {
    if (wanted.contains(graph().layers[layer].name)) layers.push_back(layer);
  }
  return layers;
}

std::string Matter::names_text(const std::vector<std::size_t>& layers) const {
  constexpr std::size_t listed = 3;
  std::vector<std::string> names;
  for (const std::size_t layer : layers) names.push_back(shortened(name_of(layer), name_width));
  return enumerated(names, listed);
}

const FusionReport& Matter::fusion() const {
  if (!fusion_) {
    fusion_ = std::make_unique<FusionReport>(
        make_fusion_report(graph(), subject_.measurements(), subject_.filter, subject_.movement()));
  }
  return *fusion_;
}

const std::vector<AlgorithmRow>& Matter::products() const {
  if (!products_) {
    products_ = algorithm_rows(graph(), subject_.measurements(), subject_.filter);
    leave_out_steps(*products_, bound_.times);
  }
  return *products_;
}

const std::vector<FrameworkPick>& Matter::picks() const {
  if (!picks_) {
    picks_ = run_ == nullptr || !profile().timeline
                 ? std::vector<FrameworkPick>{}
                 : framework_picks(graph(), products(), subject_.measurements(), subject_.filter,
                                   run_->profile.get(), {});
  }
  return *picks_;
}

const Inspection* Matter::inspection() const {
  if (run_ == nullptr || !profile().timeline) return nullptr;
  if (!inspection_) inspection_ = std::make_unique<Inspection>(inspect(graph(), profile()));
  return inspection_.get();
}

const LayoutPlans* Matter::layouts() const {
  if (subject_.filter.layout) return nullptr;
  if (!layouts_) {
    layouts_ = std::make_unique<LayoutPlans>(
        layout_plans(graph(), subject_.measurements(), subject_.filter, subject_.movement()));
  }
  return layouts_.get();
}

std::string Matter::graph_path() const {
  const Inputs& inputs = subject_.inputs;
  for (std::size_t i = 0; i < std::min(inputs.graphs.size(), inputs.graph_paths.size()); ++i) {
    if (&inputs.graphs[i] == &graph()) return inputs.graph_paths[i];
  }
  return "MODEL.graph.json";
}

std::string Matter::ask(std::string_view question, std::string_view more) const {
  const std::string& given = subject_.inputs.asked;
  return fmt::format("benanza-analyze {} --graph {}{} --precision {}{}", question, graph_path(),
                     given.empty() ? " --results RESULTS" : given,
                     to_string(subject_.filter.precision), more);
}

std::string Matter::ask_inspect() const {
  return fmt::format("benanza-analyze inspect --graph {} --profile {}", graph_path(),
                     profile().path.string());
}

void EqualProblems::add(Item item) {
  if (item.key.empty()) item.key = "layer " + std::to_string(item.layer);
  items_.push_back(std::move(item));
}

double EqualProblems::seconds() const {
  double sum = 0;
  for (const Item& item : items_) sum += item.seconds;
  return sum;
}

std::vector<std::size_t> EqualProblems::layers() const {
  std::vector<std::size_t> layers;
  for (const Item& item : items_) layers.push_back(item.layer);
  std::ranges::sort(layers);
  const auto repeated = std::ranges::unique(layers);
  layers.erase(repeated.begin(), repeated.end());
  return layers;
}

std::string EqualProblems::worst_text(const Matter& matter) const {
  std::map<std::string, std::vector<const Item*>> problems;
  for (const Item& item : items_) problems[item.key].push_back(&item);
  const auto seconds_of = [](const auto& problem) {
    double sum = 0;
    for (const Item* const item : problem.second) sum += item->seconds;
    return sum;
  };
  const auto worst = std::ranges::max_element(problems, {}, seconds_of);
  if (worst == problems.end()) return "";
  const Item& first = **std::ranges::max_element(worst->second, {}, &Item::seconds);
  const std::size_t others = worst->second.size() - 1;
  return fmt::format(
      "{}{}{}", shortened(matter.name_of(first.layer), name_width),
      others == 0 ? std::string() : fmt::format(" and {} more of this problem", others),
      first.note.empty() ? std::string() : fmt::format(" ({})", first.note));
}

void SavedCalls::Side::add(const Measurement& call) {
  const double one = call.seconds();
  seconds += one;
  deviation_seconds += (run_spread.quiet + run_deviation(call)) * one;
  over_processes.add(one, call.process_seconds());
  within_one.add(call.repetition_seconds);
}

std::optional<Uncertain> SavedCalls::Side::estimate() const {
  // No call at all takes no time, surely.
  if (seconds == 0) return Uncertain{.degrees = 1e6};
  const std::optional<Uncertain> estimate = over_processes.estimate();
  return estimate ? estimate : within_one.estimate();
}

void SavedCalls::add_before(const Measurement& call) { before_.add(call); }
void SavedCalls::add_after(const Measurement& call) { after_.add(call); }

void SavedCalls::add_before(const LayerTime& time) {
  for (const Measurement* const call : time.calls) before_.add(*call);
}

void SavedCalls::add_after(const LayerTime& time) {
  for (const Measurement* const call : time.calls) after_.add(*call);
  after_.luck_seconds += time.luck_seconds;
}

std::optional<Interval> SavedCalls::interval() const {
  const auto before = before_.estimate();
  const auto after = after_.estimate();
  if (!before || !after) return std::nullopt;
  const Interval interval = difference(*before, *after).interval();
  const double gain = gain_seconds();
  const double all = before_.seconds + after_.seconds;
  const double common =
      all > 0 ? (before_.deviation_seconds + after_.deviation_seconds) / all : run_spread.quiet;
  constexpr double quantile = 1.96;
  const double scaled = quantile * common * gain;
  return Interval{gain - std::hypot(gain - interval.low, scaled) - after_.luck_seconds,
                  gain + std::hypot(interval.high - gain, scaled)};
}

std::optional<Interval> difference_interval(double before, const std::optional<Interval>& of_before,
                                            double after, const std::optional<Interval>& of_after) {
  if (!of_before || !of_after) return std::nullopt;
  const double gain = before - after;
  return Interval{gain - std::hypot(before - of_before->low, of_after->high - after),
                  gain + std::hypot(of_before->high - before, after - of_after->low)};
}

}  // namespace benanza::analysis
