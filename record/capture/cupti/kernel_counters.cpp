#include "record/capture/cupti/kernel_counters.h"

#include <dlfcn.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace benanza::record {
namespace {

using nvidia::ProfilerUnavailable;

/// What a callback says of the launch of a kernel.
struct Parameters {
  CUstream stream = nullptr;
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
};

template <class Launch>
Parameters parameters_of(const Launch& launch) {
  const auto extent = [](unsigned told) { return static_cast<std::int32_t>(told); };
  return {.stream = launch.hStream,
          .grid = {extent(launch.gridDimX), extent(launch.gridDimY), extent(launch.gridDimZ)},
          .block = {extent(launch.blockDimX), extent(launch.blockDimY), extent(launch.blockDimZ)}};
}

/// Empty for other calls.
std::optional<Parameters> parameters_of(CUpti_CallbackId id, const void* told) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return parameters_of(*static_cast<const cuLaunchKernel_params*>(told));
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return parameters_of(*static_cast<const cuLaunchCooperativeKernel_params*>(told));
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return parameters_of(*static_cast<const cuLaunchKernelEx_params*>(told)->config);
    default:
      return std::nullopt;
  }
}

constexpr CUpti_CallbackId launch_calls[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};
constexpr CUpti_CallbackId graph_calls[] = {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                            CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

/// The launch of this thread that is being counted, for which it holds the mutex.
thread_local std::optional<std::uint32_t> counted;

}  // namespace

KernelCounters::KernelCounters(const nvidia::Cupti& cupti, std::vector<std::string> counters,
                               std::function<void(const Event& event)> tell)
    : cupti_(cupti), counters_(std::move(counters)), tell_(std::move(tell)) {
  // The driver is loaded: it has loaded this library.
  if (void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    is_capturing_ =
        reinterpret_cast<decltype(is_capturing_)>(::dlsym(driver, "cuStreamIsCapturing"));
  }
}

void KernelCounters::listen(CUpti_SubscriberHandle subscriber) const {
  const auto enable = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    cupti_.call<decltype(cuptiEnableCallback)>("cuptiEnableCallback", std::uint32_t{1}, subscriber,
                                               domain, id);
  };
  for (const CUpti_CallbackId id : launch_calls) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  for (const CUpti_CallbackId id : graph_calls) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
}

void KernelCounters::take(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    const std::lock_guard lock(mutex_);
    if (!is_over_) contexts_.erase(static_cast<const CUpti_ResourceData*>(data)->context);
    return;
  }
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite == CUPTI_API_EXIT) {
    if (counted != call.correlationId) return;
    counted.reset();
    finish(call.context, *static_cast<const CUresult*>(call.functionReturnValue) == CUDA_SUCCESS);
    mutex_.unlock();
    return;
  }
  if (is_over_ || counted) return;
  if (std::ranges::find(graph_calls, id) != std::end(graph_calls)) return take_graph(call.context);
  const auto parameters = parameters_of(id, call.functionParams);
  // A kernel that is captured into a graph does not run now.
  if (!parameters || !is_active_ || is_captured(parameters->stream)) return;
  mutex_.lock();
  if (is_over_) return mutex_.unlock();
  counted = call.correlationId;
  begin(call.context, {.kernel = call.symbolName == nullptr ? "unknown kernel" : call.symbolName,
                       .grid = parameters->grid,
                       .block = parameters->block});
}

void KernelCounters::take_graph(CUcontext handle) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  contexts_[handle].profiler.reset();
  if (is_active_) {
    tell_(NoteEvent{.is_error = true, .text = "counters leave out the kernels of CUDA graphs"});
  }
}

bool KernelCounters::is_captured(CUstream stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // Fails for the legacy stream while another is captured.
  return is_capturing_ != nullptr && is_capturing_(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

const nvidia::CounterPlan& KernelCounters::plan(int device) {
  const auto found = plans_.find(device);
  if (found != plans_.end()) return *found->second;
  const std::string chip = nvidia::chip_name(cupti_, device);
  auto wanted = counters_;
  // Every chip has it, so that a list of unknown ones is not empty.
  const char* const always = "gpu__time_duration.sum";
  if (std::ranges::find(wanted, always) == wanted.end()) wanted.emplace_back(always);
  auto plan = std::make_unique<nvidia::CounterPlan>(cupti_, chip,
                                                    nvidia::counter_availability(cupti_), wanted);
  for (const std::string& name : counters_) {
    const auto& known = plan->metrics();
    if (std::ranges::find(known, name) == known.end()) {
      throw ProfilerUnavailable("this GPU (" + chip + ") has no counter " + name +
                                "; --list-counters shows those it has");
    }
  }
  const std::size_t passes = plan->passes();
  const std::string text = "counters of " + chip + ": kernels run one after the other, each " +
                           (passes == 1 ? "once" : std::to_string(passes) + " times");
  tell_(NoteEvent{.is_error = false, .text = text});
  return *plans_.emplace(device, std::move(plan)).first->second;
}

void KernelCounters::begin(CUcontext handle, Launch launch) {
  launch_ = std::move(launch);
  Context& context = contexts_[handle];
  if (context.has_failed) return;
  try {
    if (!context.profiler) {
      std::uint32_t device = 0;
      cupti_.call<decltype(cuptiGetDeviceId)>("cuptiGetDeviceId", handle, &device);
      context.profiler = std::make_unique<nvidia::RangeProfiler>(
          cupti_, handle, plan(static_cast<int>(device)), nvidia::Ranges::by_kernel);
    }
    context.profiler->configure(1);
    context.profiler->start();
  } catch (const std::exception& error) {
    fail(context, error.what());
  }
}

void KernelCounters::finish(CUcontext handle, bool has_launched) {
  Context& context = contexts_[handle];
  if (context.has_failed || !context.profiler) return;
  try {
    context.profiler->stop();
    if (!has_launched) return;
    for (const nvidia::CounterValues& values : context.profiler->take()) {
      ++launches_;
      for (const auto& [counter, value] : values) {
        tell_(CounterEvent{.launch = launches_,
                           .kernel = launch_.kernel,
                           .grid = launch_.grid,
                           .block = launch_.block,
                           .counter = counter,
                           .value = value});
      }
    }
  } catch (const std::exception& error) {
    fail(context, error.what());
  }
}

void KernelCounters::fail(Context& context, const char* reason) {
  context.has_failed = true;
  context.profiler.reset();
  tell_(NoteEvent{.is_error = true, .text = reason});
}

void KernelCounters::end() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  contexts_.clear();
}

}  // namespace benanza::record
