#pragma once

#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/lazy_context.h"

namespace benanza::nvidia {

/// A library with one handle on one GPU, opened on first use by open(context). Must outlive every
/// primitive made with it. Functions that open the GPU throw NoGpu if there is none.
template <class T, auto open, auto destroy>
class OneHandleLibrary {
 public:
  /// `cuda` must outlive the library.
  explicit OneHandleLibrary(LazyContext& cuda) : cuda_(cuda) {}

  CudaContext& cuda() { return cuda_.get(); }
  T handle() {
    if (!handle_) handle_ = open(cuda());
    return handle_.get();
  }

 private:
  LazyContext& cuda_;
  Handle<T, destroy> handle_;
};

}  // namespace benanza::nvidia
