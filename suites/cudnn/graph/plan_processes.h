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

/// The only argument of a child process that builds plans; see answer_requests().
inline constexpr std::string_view plan_process_flag = "--build-plans";

/// A child process, running this program, that builds plans and queries engines, because the
/// library serializes this within one process. It opens the GPU but runs nothing on it. (Plans for
/// a described device need no GPU, but plans of products then lack information from the GPU's
/// context: version 9.14 divides by zero or makes kernels that never end.)
class PlanProcess {
 public:
  /// `device` is the GPU's ordinal in this process. Returns when the child has opened the GPU
  /// (which can take seconds), or could not. Throws Error if the child does not start.
  explicit PlanProcess(int device);

  /// Answers the name of a variant with its plan_text(), or nullopt if the library cannot serialize
  /// it, and a question_text() with the answer_text(). Throws Unsupported with the library's
  /// message if it refuses, Gone if the child has ended or does not answer, and std::runtime_error
  /// for any other failure.
  std::optional<std::string> answer(const std::string& request);
  struct Gone : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

 private:
  /// Killed on destruction.
  class Running {
   public:
    Running();
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    bool send(const std::string& message);
    /// Throws Gone like answer().
    std::string receive();

   private:
    Child child_;
  };

  Running child_;
};

/// The child's main loop: reads the GPU's ordinal, opens the GPU by calling `responder`, says so,
/// and then answers each request with what that function returns or throws. Returns the exit
/// status.
using Respond = std::function<std::optional<std::string>(const std::string& request)>;
int answer_requests(const std::function<Respond(int device)>& responder);

/// Builds plans and asks questions in as many child processes as there are spare CPUs.
class PlanProcesses final : public PlanBuilder {
 public:
  /// `device`: the GPU's ordinal in this process.
  explicit PlanProcesses(int device);
  ~PlanProcesses() override;

  /// The maximum number of child processes.
  std::size_t count() const { return threads_.size(); }

  std::shared_future<std::optional<std::string>> begin(const EngineChoice& choice,
                                                       const harness::Variant& variant) override;
  std::shared_future<std::optional<std::string>> ask(const harness::Variant& prototype,
                                                     harness::AlgorithmSet set,
                                                     std::shared_ptr<Claim> claim) override;

 private:
  using Task = std::packaged_task<std::optional<std::string>(std::unique_ptr<PlanProcess>&)>;

  Task task(std::string request, std::shared_ptr<Claim> claim) const;
  std::shared_future<std::optional<std::string>> send(Task task, std::deque<Task>& tasks);
  std::optional<Task> next();
  void work();

  int device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  /// The first is built first.
  std::deque<Task> plans_;
  /// The last is answered first: the caller begins with the first.
  std::deque<Task> questions_;
  bool ends_ = false;
  /// One for each child process. They make no library calls, because a handle belongs to one
  /// thread.
  std::vector<std::jthread> threads_;
};

}  // namespace benanza::cudnn
