// Where a framework is faster than a plan of the libraries' calls.

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "analysis/questions/bound/report.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// Layers that are done together, directly or through others.
class JoinedLayers {
 public:
  explicit JoinedLayers(std::size_t layers) : above_(layers) {
    std::iota(above_.begin(), above_.end(), 0);
  }
  void join(const std::vector<std::size_t>& layers) {
    for (const std::size_t layer : layers) above_[root(layer)] = root(layers.front());
  }
  std::size_t root(std::size_t layer) const {
    while (above_[layer] != layer) layer = above_[layer];
    return layer;
  }

 private:
  std::vector<std::size_t> above_;
};

std::vector<std::vector<std::size_t>> layers_of_steps(const Graph& graph, const PlanRun& run) {
  std::map<std::string, std::size_t> by_name;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    by_name.emplace(graph.layers[layer].name, layer);
  }
  std::vector<std::vector<std::size_t>> all;
  for (const PlanRun::Call& call : run.calls) {
    std::vector<std::size_t>& layers = all.emplace_back();
    for (const std::string& name : call.layers) {
      if (const auto found = by_name.find(name); found != by_name.end()) {
        layers.push_back(found->second);
      }
    }
  }
  return all;
}

/// Their layers and calls are empty.
ComparedPart sum_of(const std::vector<ComparedPart>& parts) {
  ComparedPart sum;
  for (const ComparedPart& part : parts) {
    sum.plan_seconds += part.plan_seconds;
    sum.framework_seconds += part.framework_seconds;
  }
  return sum;
}

/// Beyond it, a difference is worth a line.
bool is_lost(const ComparedPart& part) {
  constexpr double noise = 0.05;
  constexpr double least_seconds = 1e-6;
  return part.lost_seconds() > std::max(noise * part.framework_seconds, least_seconds);
}

}  // namespace

std::vector<ComparedPart> compared_parts(const Graph& graph, const PlanRun& run,
                                         const Comparison& comparison) {
  const std::vector<std::vector<std::size_t>> steps = layers_of_steps(graph, run);
  const std::vector<std::vector<std::size_t>>& nodes = comparison.mapping.layers_of_node;
  JoinedLayers together(graph.layers.size());
  for (const auto* const all : {&steps, &nodes}) {
    for (const std::vector<std::size_t>& layers : *all) {
      if (!layers.empty()) together.join(layers);
    }
  }
  std::map<std::size_t, ComparedPart> parts;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (steps[step].empty()) continue;
    ComparedPart& part = parts[together.root(steps[step].front())];
    const PlanRun::Call& call = run.calls[step];
    part.plan_seconds += call.seconds + call.conversion_seconds;
    part.calls.push_back(call.call);
  }
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].empty()) continue;
    parts[together.root(nodes[node].front())].framework_seconds +=
        comparison.profile->nodes[node].seconds * comparison.losses.factor;
  }
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    if (const auto part = parts.find(together.root(layer)); part != parts.end()) {
      part->second.layers.push_back(layer);
    }
  }
  std::vector<ComparedPart> all;
  for (auto& [root, part] : parts) {
    if (part.plan_seconds > 0 && part.framework_seconds > 0) all.push_back(std::move(part));
  }
  std::ranges::stable_sort(all, std::greater(), &ComparedPart::lost_seconds);
  return all;
}

void add_compared_parts(Section& section, const BoundReport& report) {
  for (const PlanRun* const run : report.plans) {
    for (const Comparison& comparison : report.comparisons) {
      std::vector<ComparedPart> parts = compared_parts(*report.graph, *run, comparison);
      if (parts.empty()) continue;
      const std::size_t count = parts.size();
      const ComparedPart all = sum_of(parts);
      std::erase_if(parts, [](const ComparedPart& part) { return !is_lost(part); });
      const std::string name = framework_name(*comparison.profile, report.filter);
      section.add(Entry{
          "", fmt::format("of {} parts that both do, {} is faster in {}, by {:.3f} ms; all parts "
                          "take {:.3f} ms in the plan and {:.3f} in {}",
                          count, name, parts.size(), sum_of(parts).lost_seconds() * 1e3,
                          all.plan_seconds * 1e3, all.framework_seconds * 1e3, name)});
      if (parts.empty()) continue;
      const auto layers = [&](const ComparedPart& part) {
        std::vector<std::string> names;
        for (const std::size_t layer : part.layers) {
          if (report.times[layer].status != LayerStatus::free) {
            names.push_back(report.graph->layers[layer].name);
          }
        }
        return fmt::format("{}", fmt::join(names, " "));
      };
      const Table<ComparedPart> table{
          {"layers", "layers", layers, name_width},
          {"plan us", "plan_seconds", micro, &ComparedPart::plan_seconds},
          {name + " us", "framework_seconds", micro, &ComparedPart::framework_seconds},
          {"calls", "calls",
           [](const ComparedPart& part) { return fmt::format("{}", fmt::join(part.calls, " ")); },
           any_width}};
      section.add(table.sheet(parts, {.name = "slower_parts",
                                      .caption = "parts in which " + name +
                                                 " takes less than the plan's calls, conversions "
                                                 "included"}));
    }
  }
}

}  // namespace benanza::analysis
