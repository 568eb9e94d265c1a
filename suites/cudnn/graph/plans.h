#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/cudnn/graph/engines.h"
#include "suites/harness/backend.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// The heuristics' answer for the graphs of one family.
struct EngineNames {
  /// The first graph's signature; distinguishes a problem's families.
  std::string graph{};
  std::vector<std::string> names{};
  /// The library's message if it refuses; otherwise empty.
  std::string refusal{};
  bool operator==(const EngineNames&) const = default;
};

/// The name of a variant of this suite.
std::string variant_text(const harness::Variant& variant);

/// Serializes a question for another process. The prototype's algorithm is ignored.
std::string question_text(const harness::Variant& prototype, harness::AlgorithmSet set);
/// A parsed question_text().
struct Question {
  harness::Variant prototype;
  harness::AlgorithmSet set;
};
bool is_question(std::string_view text);
Question parse_question(std::string_view text);

/// Serializes the answers.
std::string answer_text(const std::vector<EngineNames>& answers);
std::vector<EngineNames> parse_answers(const std::string& text);

/// A finished graph, its engine configs, and the plans built so far.
struct KnownGraph {
  OperationGraph graph;
  /// A deque, because appending must not invalidate references.
  std::deque<EngineChoice> choices;
  /// By the name of the choice: plans being built elsewhere, and plans.
  std::map<std::string, std::shared_future<std::optional<std::string>>> expected;
  std::map<std::string, Descriptor> plans;
  /// Names of choices whose plans were expected and have not been used yet.
  std::set<std::string> awaited;
};

/// Decides who answers a question: whoever takes it first.
class Claim {
 public:
  /// True for the first caller only.
  bool take() { return !is_taken_.test_and_set(); }

 private:
  std::atomic_flag is_taken_;
};

/// Builds plans elsewhere, before they are needed.
class PlanBuilder {
 public:
  virtual ~PlanBuilder() = default;
  /// Starts building the plan of `choice`, the engine of `variant`. The future holds plan_text(),
  /// or nullopt if it is unavailable, and throws what make_plan() throws.
  virtual std::shared_future<std::optional<std::string>> begin(const EngineChoice& choice,
                                                               const harness::Variant& variant) = 0;
  /// Starts a query for the available engines, unless `claim` is taken by then. The future holds
  /// answer_text(), or nullopt if it is unavailable.
  virtual std::shared_future<std::optional<std::string>> ask(const harness::Variant& prototype,
                                                             harness::AlgorithmSet set,
                                                             std::shared_ptr<Claim> claim) = 0;
};

/// A cache of the graphs used most recently, and of those whose plans are awaited. Most engines are
/// compiled when a plan is built, which takes longer than measuring them, and the variants of one
/// layer share graphs: an elementwise function has the same graph in every layout, and the same at
/// fp32 as at tf32.
class GraphPlans {
 public:
  /// Without a builder, plans are built on demand.
  explicit GraphPlans(Target target, std::unique_ptr<PlanBuilder> builder = nullptr);

  /// Starts the query in the builder, if there is one.
  void prefetch_algorithms(const harness::Variant& prototype, harness::AlgorithmSet set);
  /// Returns the answer to an expected question, for the family whose first graph has the signature
  /// `graph`. Null if the question was not asked, could not be answered, or nobody has begun to
  /// answer it: a query takes milliseconds, opening the GPU in another process seconds.
  const EngineNames* answer(const harness::Variant& prototype, harness::AlgorithmSet set,
                            const std::string& graph);
  /// Returns the engines' names for the family whose first graph has the signature `graph`: those
  /// of answer() or, if there are none, those that `find` adds, which are remembered. Throws
  /// Unsupported, with the library's message, if there is no engine.
  std::vector<std::string> names(const harness::Variant& prototype, harness::AlgorithmSet set,
                                 std::string graph, const std::function<void(EngineNames&)>& find);
  /// The answers found in this process, for a child to send to its parent.
  void remember(EngineNames names) { found_.push_back(std::move(names)); }
  const std::vector<EngineNames>& found() const { return found_; }

  /// Finishes `graph` and queries its engines (see engines()), unless an equal graph is cached. The
  /// result stays valid after its eviction from the cache.
  std::shared_ptr<KnownGraph> known(OperationGraph graph, const EngineQuery& query);

  /// Returns the choice of this name, creating and adding it if it is not among `known`'s. Throws
  /// Unsupported if there is none.
  const EngineChoice& choice(KnownGraph& known, const std::string& name);

  /// The names of choices that differ from this one in a knob (see near()); the library may refuse
  /// them. Throws Unsupported if there is none of this name.
  std::vector<std::string> near(KnownGraph& known, const std::string& name);

  /// Starts building the plan of `choice`, one of `known`'s, in the builder if it is compiled at
  /// run time. `variant` is one that uses it, `request` the one that the builder is told.
  void prefetch(const std::shared_ptr<KnownGraph>& known, const EngineChoice& choice,
                const harness::Variant& variant, const harness::Variant& request);

  /// False while any plan that prefetch() was called for is being built for `variant`.
  bool is_ready(const harness::Variant& variant);

  /// Returns the plan of `choice`, one of `known`'s. Throws Unsupported if the library refuses it.
  const Descriptor& plan(KnownGraph& known, const EngineChoice& choice);

 private:
  void drop_old_entries();
  struct Entry {
    std::string signature;
    std::shared_ptr<KnownGraph> graph;
  };
  /// Does not keep the plan's text, which is large.
  struct UnderWay {
    std::weak_ptr<KnownGraph> graph;
    std::string choice;
  };
  struct Answer {
    std::shared_future<std::optional<std::string>> text;
    std::shared_ptr<Claim> claim;
  };

  Target target_;
  /// By question_text(): questions pending elsewhere, and answers.
  std::map<std::string, Answer> asked_;
  std::map<std::string, std::vector<EngineNames>> answers_;
  std::vector<EngineNames> found_;
  /// By the names of variants: plans being built elsewhere.
  std::multimap<std::string, UnderWay> under_way_;
  /// Most recently used first.
  std::deque<Entry> entries_;
  /// The last member: destroyed before the graphs it builds for.
  std::unique_ptr<PlanBuilder> builder_;
};

}  // namespace benanza::cudnn
