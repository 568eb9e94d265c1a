#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "suites/cudnn/graph/graph.h"

namespace benanza::cudnn {

/// A finished graph, its engines, and the plans that were built of them.
struct KnownGraph {
  OperationGraph graph;
  std::vector<EngineChoice> choices;
  /// By engine.
  std::map<std::int64_t, Descriptor> plans;
};

/// The graphs asked about latest. Most engines are compiled when a plan is built, which takes
/// longer than measuring them, and the variants of one layer share graphs: a function of every
/// element is the same in every layout, at fp32 the same as at tf32.
class GraphPlans {
 public:
  explicit GraphPlans(Target target) : target_(std::move(target)) {}

  /// Finishes `graph` and asks for its engines (see engines()), unless an equal one is known. What
  /// is returned stays valid when it is forgotten here.
  std::shared_ptr<KnownGraph> known(OperationGraph graph, bool exact);

  /// The plan of `choice`, one of `known`'s. Throws Unsupported if the library refuses to build it.
  const Descriptor& plan(KnownGraph& known, const EngineChoice& choice);

 private:
  struct Entry {
    std::string signature;
    std::shared_ptr<KnownGraph> graph;
  };
  Target target_;
  /// The latest one first.
  std::deque<Entry> entries_;
};

}  // namespace benanza::cudnn
