#include "suites/cusparse/backend.h"

#include "suites/nvidia/device/check.h"

namespace benanza::cusparse {

nvidia::Handle<cusparseHandle_t, &cusparseDestroy> open_handle(nvidia::CudaContext& context) {
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "cusparseCreate");
  nvidia::Handle<cusparseHandle_t, &cusparseDestroy> owner(handle);
  check(cusparseSetStream(handle, context.stream()), "cusparseSetStream");
  check(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "cusparseSetPointerMode");
  return owner;
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
  auto failure = nvidia::Failure::broken;
  if (status == CUSPARSE_STATUS_NOT_SUPPORTED || status == CUSPARSE_STATUS_ARCH_MISMATCH) {
    failure = nvidia::Failure::refused;
  } else if (status == CUSPARSE_STATUS_ALLOC_FAILED ||
             status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES) {
    failure = nvidia::Failure::out_of_memory;
  }
  nvidia::fail(failure, call, words, where);
}

CusparseBackend::CusparseBackend(nvidia::LazyContext& device)
    : CudaBackend("cuSPARSE", way_table(), device) {}

System CusparseBackend::system() {
  System system = device().get().system();
  system["cusparse"] = version();
  return system;
}

std::vector<LibraryVersion> CusparseBackend::libraries() const { return {{"cuSPARSE", version()}}; }

}  // namespace benanza::cusparse
