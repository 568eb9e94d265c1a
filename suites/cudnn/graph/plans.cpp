#include "suites/cudnn/graph/plans.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// More than the variants that are expected at a time have.
constexpr std::size_t most_entries = 64;

/// More do not compile faster: the library's compiler takes turns.
constexpr std::size_t compiling_threads = 2;

/// Of queries that may be answered differently.
std::string signature_of(const EngineQuery& query) {
  return std::to_string(static_cast<int>(query.arithmetic)) + ',' + std::to_string(query.most) +
         (query.every_engine ? ",every;" : ";");
}

}  // namespace

GraphPlans::GraphPlans(Target target) : target_(std::move(target)), workers_(compiling_threads) {}

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

void GraphPlans::expect(const std::shared_ptr<KnownGraph>& known, const EngineChoice& choice) {
  if (!choice.is_compiled) return;
  const std::string name = choice.name();
  if (known->plans.contains(name)) return;
  int device = 0;
  cudaGetDevice(&device);
  const auto task = std::make_shared<std::packaged_task<Descriptor()>>(
      [=, this, choice = std::shared_ptr<const EngineChoice>(known, &choice)] {
        // Some engines load what they compiled into the thread's device.
        cudaSetDevice(device);
        const std::shared_lock lock(building_);
        return make_plan(*choice, target_);
      });
  known->plans.emplace(name, task->get_future().share());
  workers_.add([task] { (*task)(); });
}

const Descriptor& GraphPlans::plan(KnownGraph& known, const EngineChoice& choice) {
  const std::string name = choice.name();
  auto found = known.plans.find(name);
  if (found == known.plans.end()) {
    std::packaged_task<Descriptor()> task([&] { return make_plan(choice, target_); });
    found = known.plans.emplace(name, task.get_future().share()).first;
    task();
  }
  try {
    return found->second.get();
  } catch (const harness::Unsupported&) {
    throw;
  } catch (const std::runtime_error&) {
    // Not every engine can be compiled while others are: once more, alone.
    const std::scoped_lock alone(building_);
    std::packaged_task<Descriptor()> task([&] { return make_plan(choice, target_); });
    found->second = task.get_future().share();
    task();
    return found->second.get();
  }
}

Workers::Workers(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  const std::scoped_lock lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

void Workers::add(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void Workers::work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (ends_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace benanza::cudnn
