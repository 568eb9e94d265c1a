#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/child.h"
#include "suites/cudnn/graph/plans.h"

namespace benanza::cudnn {

/// The only argument of a process that builds plans for others. See answer_with_plans().
inline constexpr std::string_view plan_process_flag = "--build-plans";

/// This program, started again to build plans: within one process the library's compiler takes
/// turns, and it needs the GPU's description alone.
class PlanProcess {
 public:
  /// `device`: its description, as the library writes it. Throws Error where it does not start.
  explicit PlanProcess(const std::string& device);
  ~PlanProcess();
  PlanProcess(const PlanProcess&) = delete;
  PlanProcess& operator=(const PlanProcess&) = delete;

  /// The plan of the variant of that name, as the library writes it. Throws Unsupported in the
  /// library's words if it refuses, std::runtime_error for any other failure; Gone once there is no
  /// process any more.
  std::string plan(const std::string& variant);
  struct Gone : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

 private:
  Child child_;
};

/// What the process does: reads the device's description, then names of variants, and answers each
/// with what `build` returns or throws. Returns the exit status.
int answer_with_plans(const std::function<std::function<std::string(const std::string& variant)>(
                          const std::string& device)>& builder);

/// Builds plans in as many processes as there are processors to spare.
class PlanProcesses final : public PlanBuilder {
 public:
  /// `target` is this process' GPU, of which the plans will be.
  explicit PlanProcesses(Target target);
  ~PlanProcesses() override;

  std::shared_future<Descriptor> begin(std::shared_ptr<const EngineChoice> choice,
                                       const harness::Variant& variant) override;

 private:
  using Task = std::packaged_task<Descriptor(std::unique_ptr<PlanProcess>&)>;

  void work();
  Descriptor built(std::unique_ptr<PlanProcess>& process, const EngineChoice& choice,
                   const std::string& variant);

  Target target_;
  int device_ = 0;
  std::string description_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool ends_ = false;
  /// One after the other: the library's compiler takes turns.
  std::mutex building_here_;
  /// One for each process.
  std::vector<std::jthread> threads_;
};

}  // namespace benanza::cudnn
