#pragma once

#include <deque>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "suites/cudnn/graph/engine_names.h"
#include "suites/cudnn/graph/engines.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {

/// A finished graph, its engines, and the plans that were built of them.
struct KnownGraph {
  OperationGraph graph;
  /// A deque: what is added later leaves the others in their places.
  std::deque<EngineChoice> choices;
  /// By the names of choices: being built elsewhere, and built.
  std::map<std::string, std::shared_future<std::optional<std::string>>> expected;
  std::map<std::string, Descriptor> plans;
};

/// Builds plans elsewhere, before they are asked for.
class PlanBuilder {
 public:
  virtual ~PlanBuilder() = default;
  /// Begins to build the plan of `choice`, the engine of `variant`. The future holds plan_text(),
  /// or nothing where that cannot be had, and throws what make_plan() throws.
  virtual std::shared_future<std::optional<std::string>> begin(const EngineChoice& choice,
                                                               const harness::Variant& variant) = 0;
  /// Begins to ask which engines there are. The future holds answer_text(), or nothing where that
  /// cannot be had.
  virtual std::shared_future<std::optional<std::string>> ask(const harness::Variant& prototype,
                                                             harness::AlgorithmSet set) = 0;
};

/// The graphs asked about latest. Most engines are compiled when a plan is built, which takes
/// longer than measuring them, and the variants of one layer share graphs: a function of every
/// element is the same in every layout, at fp32 the same as at tf32.
class GraphPlans {
 public:
  /// Without a builder, plans are built when they are asked for.
  explicit GraphPlans(Target target, std::unique_ptr<PlanBuilder> builder = nullptr);

  /// Has the library asked elsewhere, if there is a builder.
  void expect_question(const harness::Variant& prototype, harness::AlgorithmSet set);
  /// The answer to a question that was expected, for the graphs that begin with the one of that
  /// signature. Waits for it. Null where nobody asked, or the process could not.
  const EngineNames* answer(const harness::Variant& prototype, harness::AlgorithmSet set,
                            const std::string& graph);
  /// What was found here, for a process that is asked.
  void remember(EngineNames names) { found_.push_back(std::move(names)); }
  const std::vector<EngineNames>& found() const { return found_; }

  /// Finishes `graph` and asks for its engines (see engines()), unless an equal one is known. What
  /// is returned stays valid when it is forgotten here.
  std::shared_ptr<KnownGraph> known(OperationGraph graph, const EngineQuery& query);

  /// The choice of that name: one of `known`'s, or made of the name alone and from now on known.
  /// Throws Unsupported if there is none.
  const EngineChoice& choice(KnownGraph& known, const std::string& name);

  /// Has the plan of `choice`, one of `known`'s, built ahead if that takes long; `variant` is one
  /// that it is the engine of.
  void expect(const std::shared_ptr<KnownGraph>& known, const EngineChoice& choice,
              const harness::Variant& variant);

  /// The plan of `choice`, one of `known`'s. Throws Unsupported if the library refuses to build it.
  const Descriptor& plan(KnownGraph& known, const EngineChoice& choice);

 private:
  struct Entry {
    std::string signature;
    std::shared_ptr<KnownGraph> graph;
  };
  using Answer = std::shared_future<std::optional<std::string>>;

  Target target_;
  /// By question_text(): asked elsewhere, and answered.
  std::map<std::string, Answer> asked_;
  std::map<std::string, std::vector<EngineNames>> answers_;
  std::vector<EngineNames> found_;
  /// The latest one first.
  std::deque<Entry> entries_;
  /// The last member: it ends before what it builds.
  std::unique_ptr<PlanBuilder> builder_;
};

}  // namespace benanza::cudnn
