#include "suites/cudnn/graph/plan_processes.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/problem/name.h"

namespace benanza::cudnn {
namespace {

constexpr char is_plan = '+';
constexpr char is_refusal = '-';
constexpr char is_failure = '!';
constexpr char is_unwritten = '?';

/// Longer than any engine was seen to take.
constexpr int patience_milliseconds = 60'000;

/// More would wait for the thread that measures.
constexpr int most_processes = 12;

/// All that this process may use but one, which measures.
int processors_to_spare() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int count = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  return std::clamp(count - 1, 1, most_processes);
}

std::string name_of(const harness::Variant& variant) {
  return to_string(VariantName{.key = key(variant.problem),
                               .precision = variant.precision,
                               .layout = variant.layout,
                               .backend = "cudnn",
                               .algorithm = variant.algorithm});
}

/// Where the GPU cannot be opened once more (it is one process' alone, or its memory is full), no
/// plan can be had of this process.
BuildPlan build_or_nothing(const std::function<BuildPlan(int device)>& builder,
                           const std::string& device) {
  try {
    return builder(std::stoi(device));
  } catch (const std::exception&) {
    return [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  }
}

/// A process that has gone answers with an error, not with a signal.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

PlanProcess::PlanProcess(int device)
    : child_(start({.program = "/proc/self/exe",
                    .arguments = {std::string(plan_process_flag)},
                    .out = "/dev/null",
                    .own_group = true})) {
  if (!write_message(child_.to.get(), std::to_string(device)))
    throw Error("a process that builds plans has ended");
}

PlanProcess::~PlanProcess() {
  ::kill(child_.id, SIGKILL);
  while (::waitpid(child_.id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<std::string> PlanProcess::plan(const std::string& variant) {
  if (!write_message(child_.to.get(), variant)) throw Gone("cuDNN's compiler ended its process");
  pollfd answers{.fd = child_.from.get(), .events = POLLIN, .revents = 0};
  if (::poll(&answers, 1, patience_milliseconds) == 0) {
    throw Gone("cuDNN's compiler took more than a minute");
  }
  const std::optional<std::string> answer = read_message(child_.from.get());
  if (!answer || answer->empty()) throw Gone("cuDNN's compiler ended its process");
  std::string text = answer->substr(1);
  switch (answer->front()) {
    case is_plan:
      return text;
    case is_unwritten:
      return std::nullopt;
    case is_refusal:
      throw harness::Unsupported(text);
    default:
      throw std::runtime_error(text);
  }
}

int answer_with_plans(const std::function<BuildPlan(int device)>& builder) {
  constexpr int behind_what_measures = 5;
  [[maybe_unused]] const int niceness = ::nice(behind_what_measures);
  block_broken_pipes();
  const std::optional<std::string> device = read_message(child_in);
  if (!device) return 1;
  BuildPlan build;
  while (const std::optional<std::string> variant = read_message(child_in)) {
    std::string answer;
    try {
      if (!build) build = build_or_nothing(builder, *device);
      const std::optional<std::string> text = build(*variant);
      answer = text ? is_plan + *text : std::string(1, is_unwritten);
    } catch (const harness::Unsupported& refusal) {
      answer = is_refusal + std::string(refusal.what());
    } catch (const std::exception& error) {
      answer = is_failure + std::string(error.what());
    }
    if (!write_message(child_out, answer)) return 1;
  }
  return 0;
}

PlanProcesses::PlanProcesses(int device) : device_(device) {
  const int count = processors_to_spare();
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

PlanProcesses::~PlanProcesses() {
  const std::scoped_lock lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

std::shared_future<std::optional<std::string>> PlanProcesses::begin(
    const EngineChoice&, const harness::Variant& variant) {
  Task task([this, name = name_of(variant)](std::unique_ptr<PlanProcess>& process) {
    try {
      if (!process) process = std::make_unique<PlanProcess>(device_);
    } catch (const Error&) {
      // No more processes for this user: the plan is built where it is needed.
      return std::optional<std::string>();
    }
    try {
      return process->plan(name);
    } catch (const PlanProcess::Gone&) {
      // The next plan gets a new one.
      process.reset();
      throw;
    }
  });
  auto plan = task.get_future().share();
  const std::scoped_lock lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return plan;
}

void PlanProcesses::work() {
  block_broken_pipes();
  std::unique_ptr<PlanProcess> process;
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (ends_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task(process);
  }
}

}  // namespace benanza::cudnn
