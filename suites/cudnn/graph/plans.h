#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "suites/cudnn/graph/engines.h"

namespace benanza::cudnn {

/// A finished graph, its engines, and the plans that were built of them.
struct KnownGraph {
  OperationGraph graph;
  /// A deque: what is added later leaves the others in their places.
  std::deque<EngineChoice> choices;
  /// By the names of choices; being built, or built.
  std::map<std::string, std::shared_future<Descriptor>> plans;
};

/// Threads that run tasks in the order of their coming. Tasks that have not begun when it ends are
/// dropped.
class Workers {
 public:
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  void add(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::jthread> threads_;
};

/// The graphs asked about latest. Most engines are compiled when a plan is built, which takes
/// longer than measuring them, and the variants of one layer share graphs: a function of every
/// element is the same in every layout, at fp32 the same as at tf32.
class GraphPlans {
 public:
  explicit GraphPlans(Target target);

  /// Finishes `graph` and asks for its engines (see engines()), unless an equal one is known. What
  /// is returned stays valid when it is forgotten here.
  std::shared_ptr<KnownGraph> known(OperationGraph graph, const EngineQuery& query);

  /// The choice of that name: one of `known`'s, or made of the name alone and from now on known.
  /// Throws Unsupported if there is none.
  const EngineChoice& choice(KnownGraph& known, const std::string& name);

  /// Begins to build the plan of `choice`, one of `known`'s, on another thread.
  void expect(const std::shared_ptr<KnownGraph>& known, const EngineChoice& choice);

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
  /// Shared by plans that are built at the same time.
  std::shared_mutex building_;
  /// The last member: its threads end before anything else does.
  Workers workers_;
};

}  // namespace benanza::cudnn
