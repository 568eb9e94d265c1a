#include "suites/nccl/check.h"

#include <stdexcept>

#include "suites/nvidia/device/check.h"

namespace benanza::nccl {

void check(ncclResult_t status, std::string_view call, std::source_location where) {
  if (status == ncclSuccess) return;
  nvidia::check_device(call, where);
  throw std::runtime_error(nvidia::failure_text(call, ncclGetErrorString(status), where));
}

}  // namespace benanza::nccl
