#include "suites/cudnn/graph/plans.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/problem/name.h"

namespace benanza::cudnn {
namespace {

constexpr char mark = '?';
/// Not the name of an algorithm.
constexpr const char* any_algorithm = "engines";

}  // namespace

std::string variant_text(const harness::Variant& variant) {
  return to_string(VariantName{.key = key(variant.problem),
                               .precision = variant.precision,
                               .layout = variant.layout,
                               .backend = "cudnn",
                               .algorithm = variant.algorithm});
}

std::string question_text(const harness::Variant& prototype, harness::AlgorithmSet set) {
  harness::Variant any = prototype;
  any.algorithm = any_algorithm;
  return mark + std::to_string(static_cast<int>(set)) + variant_text(any);
}

bool is_question(std::string_view text) { return text.starts_with(mark); }

Question parse_question(std::string_view text) {
  const VariantName name = parse_variant_name(text.substr(2));
  return {.prototype = {parse(name.key), name.precision, name.layout, {}},
          .set = static_cast<harness::AlgorithmSet>(text.at(1) - '0')};
}

std::string answer_text(const std::vector<EngineNames>& answers) {
  auto text = nlohmann::json::array();
  for (const EngineNames& answer : answers) {
    text.push_back({answer.graph, answer.names, answer.refusal});
  }
  return text.dump();
}

std::vector<EngineNames> parse_answers(const std::string& text) {
  std::vector<EngineNames> answers;
  for (const auto& answer : nlohmann::json::parse(text)) {
    answers.push_back({.graph = answer.at(0).get<std::string>(),
                       .names = answer.at(1).get<std::vector<std::string>>(),
                       .refusal = answer.at(2).get<std::string>()});
  }
  return answers;
}

namespace {

/// Enough for the variants of a layer, which share graphs.
constexpr std::size_t most_entries = 512;

/// Differs for queries that may have different answers.
std::string signature_of(const EngineQuery& query) {
  return std::to_string(static_cast<int>(query.arithmetic)) + ',' + std::to_string(query.most) +
         (query.defaults ? ",defaults" : "") + (query.every_engine ? ",every;" : ";");
}

}  // namespace

GraphPlans::GraphPlans(Target target, std::unique_ptr<PlanBuilder> builder)
    : target_(std::move(target)), builder_(std::move(builder)) {}

void GraphPlans::prefetch_algorithms(const harness::Variant& prototype, harness::AlgorithmSet set) {
  if (!builder_) return;
  std::string question = question_text(prototype, set);
  if (asked_.contains(question) || answers_.contains(question)) return;
  auto claim = std::make_shared<Claim>();
  auto text = builder_->ask(prototype, set, claim);
  asked_.emplace(std::move(question), Answer{std::move(text), std::move(claim)});
}

const EngineNames* GraphPlans::answer(const harness::Variant& prototype, harness::AlgorithmSet set,
                                      const std::string& graph) {
  if (asked_.empty() && answers_.empty()) return nullptr;
  const std::string question = question_text(prototype, set);
  if (const auto asked = asked_.find(question); asked != asked_.end()) {
    std::optional<std::string> text;
    try {
      if (!asked->second.claim->take()) text = asked->second.text.get();
    } catch (const std::exception&) {
      // This process then answers the question itself.
    }
    asked_.erase(asked);
    if (text) answers_.emplace(question, parse_answers(*text));
  }
  const auto known = answers_.find(question);
  if (known == answers_.end()) return nullptr;
  const auto found = std::ranges::find(known->second, graph, &EngineNames::graph);
  return found == known->second.end() ? nullptr : &*found;
}

std::vector<std::string> GraphPlans::names(const harness::Variant& prototype,
                                           harness::AlgorithmSet set, std::string graph,
                                           const std::function<void(EngineNames&)>& find) {
  EngineNames found{.graph = std::move(graph)};
  if (const EngineNames* const known = answer(prototype, set, found.graph)) {
    found = *known;
  } else {
    find(found);
    if (found.names.empty() && found.refusal.empty()) {
      found.refusal = "cuDNN has no graph for this";
    }
    remember(found);
  }
  if (found.names.empty()) throw harness::Unsupported(found.refusal);
  return found.names;
}

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
  drop_old_entries();
  return entries_.front().graph;
}

void GraphPlans::drop_old_entries() {
  // Never the first, which is in use.
  for (std::size_t index = entries_.size(); entries_.size() > most_entries && index-- > 1;) {
    if (!entries_[index].graph->awaited.empty()) continue;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

const EngineChoice& GraphPlans::choice(KnownGraph& known, const std::string& name) {
  for (const EngineChoice& choice : known.choices) {
    if (choice.name() == name) return choice;
  }
  known.choices.push_back(engine_named(known.graph, target_, name));
  return known.choices.back();
}

std::vector<std::string> GraphPlans::near(KnownGraph& known, const std::string& name) {
  const EngineChoice& own = choice(known, name);
  std::vector<std::string> names;
  for (EngineId& id : cudnn::near(own.id, knob_ranges(own))) {
    names.push_back(to_string(EngineName{.transform = own.transform, .id = std::move(id)}));
  }
  return names;
}

void GraphPlans::prefetch(const std::shared_ptr<KnownGraph>& known, const EngineChoice& choice,
                          const harness::Variant& variant, const harness::Variant& request) {
  if (!builder_ || !choice.is_compiled) return;
  const std::string name = choice.name();
  if (known->plans.contains(name)) return;
  if (!known->expected.contains(name)) {
    known->expected.emplace(name, builder_->begin(choice, request));
    known->awaited.insert(name);
  }
  under_way_.emplace(variant_text(variant), UnderWay{known, name});
}

bool GraphPlans::is_ready(const harness::Variant& variant) {
  const auto [begin, end] = under_way_.equal_range(variant_text(variant));
  for (auto plan = begin; plan != end; ++plan) {
    const auto known = plan->second.graph.lock();
    if (!known) continue;
    const auto expected = known->expected.find(plan->second.choice);
    if (expected == known->expected.end()) continue;
    const auto& text = expected->second;
    // A builder that builds at once has no future.
    if (text.valid() && text.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      return false;
    }
  }
  under_way_.erase(begin, end);
  return true;
}

const Descriptor& GraphPlans::plan(KnownGraph& known, const EngineChoice& choice) {
  const std::string name = choice.name();
  if (const auto found = known.plans.find(name); found != known.plans.end()) return found->second;
  known.awaited.erase(name);
  const auto build = [&] {
    const auto expected = known.expected.find(name);
    if (expected == known.expected.end()) return make_plan(choice, target_);
    const std::optional<std::string> text = expected->second.get();
    if (!text) return make_plan(choice, target_);
    try {
      return restore_plan(*text, target_);
    } catch (const harness::Unsupported&) {
      return make_plan(choice, target_);
    }
  };
  const Descriptor& built = known.plans.emplace(name, build()).first->second;
  // The text is large, and a search has thousands of plans.
  known.expected.erase(name);
  return built;
}

}  // namespace benanza::cudnn
