#include "suites/cusparse/library.h"

#include <stdexcept>

#include "suites/nvidia/device/check.h"

namespace benanza::cusparse {

cusparseHandle_t Library::handle() {
  if (handle_) return handle_.get();
  nvidia::CudaContext& context = cuda();
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "cusparseCreate");
  nvidia::Handle<cusparseHandle_t, &cusparseDestroy> owner(handle);
  check(cusparseSetStream(handle, context.stream()), "cusparseSetStream");
  check(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "cusparseSetPointerMode");
  handle_ = std::move(owner);
  return handle;
}

std::string version() {
  std::string text;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(cusparseGetProperty(part, &number), "cusparseGetProperty");
    text += (text.empty() ? "" : ".") + std::to_string(number);
  }
  return text;
}

void check(cusparseStatus_t status, std::string_view call, std::source_location where) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const std::string words =
      std::string(cusparseGetErrorName(status)) + ", " + cusparseGetErrorString(status);
  if (status == CUSPARSE_STATUS_NOT_SUPPORTED || status == CUSPARSE_STATUS_ARCH_MISMATCH) {
    throw harness::Unsupported(std::string(call) + ": " + words);
  }
  const std::string text = nvidia::failure_text(call, words, where);
  if (status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES) {
    throw nvidia::OutOfMemory(text);
  }
  nvidia::check_device(call, where);
  throw std::runtime_error(text);
}

}  // namespace benanza::cusparse
