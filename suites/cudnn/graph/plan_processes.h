#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/child.h"
#include "suites/cudnn/graph/plans.h"

namespace benanza::cudnn {

/// The only argument of a process that builds plans for others. See answer_requests().
inline constexpr std::string_view plan_process_flag = "--build-plans";

/// This program, started again to build plans and to ask for engines: within one process the
/// library takes turns. It opens the GPU and runs nothing on it. (Plans of a described device need
/// no GPU, but those of products then lack what only a GPU's context tells: version 9.14 divides by
/// zero, or makes kernels that never end.)
class PlanProcess {
 public:
  /// `device`: the GPU's ordinal in this process. Throws Error where it does not start.
  explicit PlanProcess(int device);
  ~PlanProcess();
  PlanProcess(const PlanProcess&) = delete;
  PlanProcess& operator=(const PlanProcess&) = delete;

  /// To the name of a variant: its plan, as the library writes it; nothing where it does not write
  /// it. To a question_text(): the answer_text(). Throws Unsupported in the library's words if it
  /// refuses, std::runtime_error for any other failure; Gone if the process has ended, or does not
  /// answer.
  std::optional<std::string> answer(const std::string& request);
  struct Gone : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

 private:
  Child child_;
};

/// What the process does: reads the GPU's ordinal, then requests, and answers each with what the
/// function made by `responder` returns or throws. Returns the exit status.
using Respond = std::function<std::optional<std::string>(const std::string& request)>;
int answer_requests(const std::function<Respond(int device)>& responder);

/// Builds plans and asks questions in as many processes as there are processors to spare.
class PlanProcesses final : public PlanBuilder {
 public:
  /// `device`: the GPU's ordinal in this process.
  explicit PlanProcesses(int device);
  ~PlanProcesses() override;

  /// How many processes there are at most.
  std::size_t count() const { return threads_.size(); }

  std::shared_future<std::optional<std::string>> begin(const EngineChoice& choice,
                                                       const harness::Variant& variant) override;
  std::shared_future<std::optional<std::string>> ask(const harness::Variant& prototype,
                                                     harness::AlgorithmSet set) override;

 private:
  using Task = std::packaged_task<std::optional<std::string>(std::unique_ptr<PlanProcess>&)>;

  std::shared_future<std::optional<std::string>> send(std::string request);
  void work();

  int device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool ends_ = false;
  /// One for each process. None of them calls the library, whose handle is for one thread.
  std::vector<std::jthread> threads_;
};

}  // namespace benanza::cudnn
