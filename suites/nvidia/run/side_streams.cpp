#include "suites/nvidia/run/side_streams.h"

#include <cuda_runtime_api.h>

#include <exception>
#include <utility>

#include "suites/harness/outcome.h"
#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {
namespace {

void run(const harness::Task& task) {
  for (harness::Primitive* const call : task.calls) call->run();
}

Graph captured(const harness::Task& task, cudaStream_t stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  std::string reason;
  try {
    run(task);
  } catch (const std::exception& error) {
    reason = harness::one_line(error.what());
  }
  cudaGraph_t made = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &made);
  Graph graph(made);
  if (status == cudaSuccess && reason.empty() && made != nullptr) return graph;
  cudaGetLastError();
  throw harness::Unsupported("a call cannot be captured: " +
                             (reason.empty() ? cudaGetErrorString(status) : reason));
}

}  // namespace

Branches::Branches(cudaStream_t stream, std::vector<harness::Task> tasks)
    : stream_(stream), tasks_(std::move(tasks)) {
  // Loads the kernels, which cannot be captured.
  run_in_order();
  synchronize(stream_);
  for (const harness::Task& task : tasks_) graphs_.push_back(captured(task, stream_));
}

void Branches::run() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream_, &status), "cudaStreamIsCapturing");
  status == cudaStreamCaptureStatusActive ? add_to_capture() : run_in_order();
}

void Branches::run_in_order() const {
  for (const harness::Task& task : tasks_) nvidia::run(task);
}

void Branches::add_to_capture() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* before = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  check(cudaStreamGetCaptureInfo(stream_, &status, &id, &graph, &before, &edges, &count),
        "cudaStreamGetCaptureInfo");
  const std::vector<cudaGraphNode_t> start(before, before + count);
  std::vector<cudaGraphNode_t> nodes;
  std::vector<bool> is_last(tasks_.size(), true);
  for (std::size_t index = 0; index < tasks_.size(); ++index) {
    std::vector<cudaGraphNode_t> needed;
    for (const std::size_t task : tasks_[index].after) {
      needed.push_back(nodes.at(task));
      is_last[task] = false;
    }
    if (needed.empty()) needed = start;
    check(cudaGraphAddChildGraphNode(&nodes.emplace_back(), graph, needed.data(), needed.size(),
                                     graphs_[index].get()),
          "cudaGraphAddChildGraphNode");
  }
  std::vector<cudaGraphNode_t> last;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (is_last[index]) last.push_back(nodes[index]);
  }
  check(cudaStreamUpdateCaptureDependencies(stream_, last.data(), nullptr, last.size(),
                                            cudaStreamSetCaptureDependencies),
        "cudaStreamUpdateCaptureDependencies");
}

}  // namespace benanza::nvidia
