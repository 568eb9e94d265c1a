#include "suites/cudnn/graph/plans.h"

#include <algorithm>
#include <utility>

namespace benanza::cudnn {
namespace {

/// Two graphs for each of six precisions.
constexpr std::size_t most_entries = 12;

/// Of queries that may be answered differently.
std::string signature_of(const EngineQuery& query) {
  return std::to_string(static_cast<int>(query.arithmetic)) + ',' + std::to_string(query.most) +
         (query.every_engine ? ",every;" : ";");
}

}  // namespace

std::shared_ptr<KnownGraph> GraphPlans::known(OperationGraph graph, const EngineQuery& query) {
  std::string signature = signature_of(query) + graph.signature();
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.signature == signature; });
  if (found != entries_.end()) {
    std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().graph;
  }
  graph.finish(target_);
  auto made = std::make_shared<KnownGraph>();
  for (EngineChoice& choice : engines(graph, target_, query)) {
    made->choices.push_back(std::move(choice));
  }
  made->graph = std::move(graph);
  entries_.push_front({std::move(signature), std::move(made)});
  if (entries_.size() > most_entries) entries_.pop_back();
  return entries_.front().graph;
}

const EngineChoice& GraphPlans::choice(KnownGraph& known, const std::string& name) {
  for (const EngineChoice& choice : known.choices) {
    if (choice.name() == name) return choice;
  }
  known.choices.push_back(engine_named(known.graph, target_, name));
  return known.choices.back();
}

const Descriptor& GraphPlans::plan(KnownGraph& known, const EngineChoice& choice) {
  const std::string name = choice.name();
  const auto found = known.plans.find(name);
  if (found != known.plans.end()) return found->second;
  return known.plans.emplace(name, make_plan(choice, target_)).first->second;
}

}  // namespace benanza::cudnn
