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

namespace benanza::cudnn {
namespace {

constexpr char is_open = '=';
constexpr char is_plan = '+';
constexpr char is_refusal = '-';
constexpr char is_failure = '!';
constexpr char is_unwritten = '?';

/// Longer than any engine has been seen to take.
constexpr int patience_milliseconds = 60'000;

/// More processes would wait for the measuring thread.
constexpr int most_processes = 12;

/// All CPUs that this process may use, except one for measuring.
int processors_to_spare() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int count = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  return std::clamp(count - 1, 1, most_processes);
}

/// Calls `responder`. If the GPU cannot be opened once more (exclusive mode, or its memory is
/// full), every request is answered with nullopt.
Respond respond_or_nothing(const std::function<Respond(int device)>& responder,
                           const std::string& device) {
  try {
    return responder(std::stoi(device));
  } catch (const std::exception&) {
    return [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  }
}

/// Makes writing to a process that has ended an error instead of a signal.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

PlanProcess::Running::Running()
    : child_(start({.program = "/proc/self/exe",
                    .arguments = {std::string(plan_process_flag)},
                    .out = "/dev/null",
                    .own_group = true})) {}

PlanProcess::Running::~Running() {
  ::kill(child_.id, SIGKILL);
  while (::waitpid(child_.id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool PlanProcess::Running::send(const std::string& message) {
  return write_message(child_.to.get(), message);
}

std::string PlanProcess::Running::receive() {
  pollfd messages{.fd = child_.from.get(), .events = POLLIN, .revents = 0};
  if (::poll(&messages, 1, patience_milliseconds) == 0) {
    throw Gone("cuDNN took more than a minute to answer");
  }
  std::optional<std::string> message = read_message(child_.from.get());
  if (!message || message->empty()) throw Gone("cuDNN ended a process that asked it");
  return *std::move(message);
}

PlanProcess::PlanProcess(int device) {
  try {
    if (child_.send(std::to_string(device)) && child_.receive().front() == is_open) return;
  } catch (const Gone&) {
  }
  throw Error("a process that builds plans has ended");
}

std::optional<std::string> PlanProcess::answer(const std::string& request) {
  if (!child_.send(request)) throw Gone("cuDNN ended a process that asked it");
  const std::string answer = child_.receive();
  std::string text = answer.substr(1);
  switch (answer.front()) {
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

int answer_requests(const std::function<Respond(int device)>& responder) {
  constexpr int behind_what_measures = 5;
  [[maybe_unused]] const int niceness = ::nice(behind_what_measures);
  block_broken_pipes();
  const std::optional<std::string> device = read_message(child_in);
  if (!device) return 1;
  const Respond respond = respond_or_nothing(responder, *device);
  if (!write_message(child_out, std::string(1, is_open))) return 1;
  while (const std::optional<std::string> request = read_message(child_in)) {
    std::string answer;
    try {
      const std::optional<std::string> text = respond(*request);
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
  return send(task(variant_text(variant), std::make_shared<Claim>()), plans_);
}

std::shared_future<std::optional<std::string>> PlanProcesses::ask(const harness::Variant& prototype,
                                                                  harness::AlgorithmSet set,
                                                                  std::shared_ptr<Claim> claim) {
  return send(task(question_text(prototype, set), std::move(claim)), questions_);
}

PlanProcesses::Task PlanProcesses::task(std::string request, std::shared_ptr<Claim> claim) const {
  return Task([request = std::move(request),
               claim = std::move(claim)](std::unique_ptr<PlanProcess>& process) {
    if (!process || !claim->take()) return std::optional<std::string>();
    try {
      return process->answer(request);
    } catch (const PlanProcess::Gone&) {
      // The next request starts a new process.
      process.reset();
      throw;
    }
  });
}

std::shared_future<std::optional<std::string>> PlanProcesses::send(Task task,
                                                                   std::deque<Task>& tasks) {
  auto answer = task.get_future().share();
  const std::scoped_lock lock(mutex_);
  tasks.push_back(std::move(task));
  changed_.notify_one();
  return answer;
}

std::optional<PlanProcesses::Task> PlanProcesses::next() {
  const std::scoped_lock lock(mutex_);
  std::optional<Task> task;
  if (!plans_.empty()) {
    task = std::move(plans_.front());
    plans_.pop_front();
  } else if (!questions_.empty()) {
    task = std::move(questions_.back());
    questions_.pop_back();
  }
  return task;
}

void PlanProcesses::work() {
  block_broken_pipes();
  std::unique_ptr<PlanProcess> process;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !plans_.empty() || !questions_.empty(); });
      if (ends_) return;
    }
    try {
      if (!process) process = std::make_unique<PlanProcess>(device_);
    } catch (const Error&) {
      // No more processes for this user: the caller computes the answer itself.
    }
    if (std::optional<Task> task = next()) (*task)(process);
  }
}

}  // namespace benanza::cudnn
