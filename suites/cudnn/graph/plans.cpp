#include "suites/cudnn/graph/plans.h"

#include <algorithm>
#include <utility>

namespace benanza::cudnn {
namespace {

/// More than the variants that are expected at a time have.
constexpr std::size_t most_entries = 512;

/// Of queries that may be answered differently.
std::string signature_of(const EngineQuery& query) {
  return std::to_string(static_cast<int>(query.arithmetic)) + ',' + std::to_string(query.most) +
         (query.every_engine ? ",every;" : ";");
}

}  // namespace

GraphPlans::GraphPlans(Target target, std::unique_ptr<PlanBuilder> builder)
    : target_(std::move(target)), builder_(std::move(builder)) {}

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
  if (query.most > 0) {
    for (EngineChoice& choice : engines(graph, target_, query)) {
      made->choices.push_back(std::move(choice));
    }
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

void GraphPlans::expect(const std::shared_ptr<KnownGraph>& known, const EngineChoice& choice,
                        const harness::Variant& variant) {
  if (!builder_ || !choice.is_compiled) return;
  const std::string name = choice.name();
  if (known->plans.contains(name)) return;
  known->plans.emplace(
      name, builder_->begin(std::shared_ptr<const EngineChoice>(known, &choice), variant));
}

const Descriptor& GraphPlans::plan(KnownGraph& known, const EngineChoice& choice) {
  const std::string name = choice.name();
  auto found = known.plans.find(name);
  if (found == known.plans.end()) {
    std::packaged_task<Descriptor()> task([&] { return make_plan(choice, target_); });
    found = known.plans.emplace(name, task.get_future().share()).first;
    task();
  }
  return found->second.get();
}

}  // namespace benanza::cudnn
