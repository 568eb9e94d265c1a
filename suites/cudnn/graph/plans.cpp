#include "suites/cudnn/graph/plans.h"

#include <algorithm>
#include <utility>

namespace benanza::cudnn {
namespace {

/// Two graphs for each of six precisions.
constexpr std::size_t most_entries = 12;

}  // namespace

std::shared_ptr<KnownGraph> GraphPlans::known(OperationGraph graph, bool exact) {
  std::string signature = (exact ? "exact;" : "any;") + graph.signature();
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.signature == signature; });
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().graph;
  }
  graph.finish(target_);
  std::vector<EngineChoice> choices = engines(graph, target_, exact);
  auto made = std::make_shared<KnownGraph>(
      KnownGraph{.graph = std::move(graph), .choices = std::move(choices), .plans = {}});
  entries_.push_front({std::move(signature), std::move(made)});
  if (entries_.size() > most_entries) entries_.pop_back();
  return entries_.front().graph;
}

const Descriptor& GraphPlans::plan(KnownGraph& known, const EngineChoice& choice) {
  const auto found = known.plans.find(choice.engine);
  if (found != known.plans.end()) return found->second;
  return known.plans.emplace(choice.engine, make_plan(choice, target_)).first->second;
}

}  // namespace benanza::cudnn
