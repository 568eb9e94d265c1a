#include "suites/cublas/status.h"

#include <stdexcept>
#include <string>

#include "suites/harness/primitive.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cublas {

void check(cublasStatus_t status, std::string_view call, std::source_location where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string words =
      std::string(cublasGetStatusName(status)) + ", " + cublasGetStatusString(status);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH) {
    throw harness::Unsupported(std::string(call) + ": " + words);
  }
  const std::string text = nvidia::failure_text(call, words, where);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw nvidia::OutOfMemory(text);
  nvidia::check_device(call, where);
  throw std::runtime_error(text);
}

}  // namespace benanza::cublas
