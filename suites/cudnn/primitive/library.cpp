#include "suites/cudnn/primitive/library.h"

#include <stdexcept>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/graph/plan_processes.h"
#include "suites/harness/machine_context.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {

Library::Library(nvidia::LazyContext& cuda, Target target, std::unique_ptr<PlanBuilder> builder)
    : cuda_(cuda), has_device_(false) {
  graph_plans_.emplace(std::move(target), std::move(builder));
}

nvidia::CudaContext& Library::cuda() {
  if (!has_device_) throw harness::NoDevice("this process builds plans alone");
  return cuda_.get();
}

cudnnHandle_t Library::handle() {
  if (!handle_) {
    const cudaStream_t stream = cuda().stream();
    LibraryHandle made = make_library_handle();
    BENANZA_CUDNN(cudnnSetStream, made.get(), stream);
    handle_ = std::move(made);
  }
  return handle_.get();
}

GraphPlans& Library::graph_plans() {
  if (!graph_plans_) {
    Target target(handle());
    auto builder = std::make_unique<PlanProcesses>(cuda_.options().device);
    if (auto* const observer = cuda_.observer()) observer->add_own_processes(builder->count());
    graph_plans_.emplace(std::move(target), std::move(builder));
  }
  return *graph_plans_;
}

void Library::check_workspace(std::int64_t bytes) const {
  const auto limit = cuda_.options().max_workspace_bytes;
  if (!limit || bytes <= *limit) return;
  throw std::runtime_error("needs a workspace of " + harness::bytes_text(bytes) +
                           ", --max-workspace is " + harness::bytes_text(*limit));
}

}  // namespace benanza::cudnn
