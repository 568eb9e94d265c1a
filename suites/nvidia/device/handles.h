#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {

/// Deleter for the handles of C libraries: Handle<cudnnTensorDescriptor_t,
/// &cudnnDestroyTensorDescriptor> is an owning handle.
template <class T, auto destroy>
struct HandleDeleter {
  using pointer = T;
  void operator()(T handle) const noexcept { destroy(handle); }
};
template <class T, auto destroy>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, HandleDeleter<T, destroy>>;

using Stream = Handle<cudaStream_t, &cudaStreamDestroy>;
using Event = Handle<cudaEvent_t, &cudaEventDestroy>;
using Graph = Handle<cudaGraph_t, &cudaGraphDestroy>;
using GraphExec = Handle<cudaGraphExec_t, &cudaGraphExecDestroy>;

/// Creates a stream that does not synchronise with the default stream, so that it can be captured.
inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}

/// Creates an event with timing enabled.
inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cudaEventCreate");
  return Event(event);
}

}  // namespace benanza::nvidia
