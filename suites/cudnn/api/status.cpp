#include "suites/cudnn/api/status.h"

#include <array>
#include <stdexcept>

#include "suites/harness/primitive.h"
#include "suites/nvidia/device/check.h"

namespace benanza::cudnn {
std::string last_words() {
  std::array<char, 1024> text{};
  cudnnGetLastErrorString(text.data(), text.size());
  text.back() = '\0';
  return text.data();
}

Verdict verdict(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_SUCCESS) return Verdict::success;
  if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) {
    return Verdict::out_of_memory;
  }
  if (status == CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED) return Verdict::refused;
  switch (CUDNN_STATUS_CATEGORY(static_cast<int>(status))) {
    case static_cast<int>(CUDNN_STATUS_BAD_PARAM):
    case static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED):
      return Verdict::refused;
    default:
      return Verdict::broken;
  }
}

std::string words(cudnnStatus_t status, std::string_view call, std::string_view detail) {
  std::string text = std::string(call) + ": " + cudnnGetErrorString(status);
  if (!detail.empty()) text += " (" + std::string(detail) + ")";
  return text;
}

void check(cudnnStatus_t status, std::string_view call) {
  switch (verdict(status)) {
    case Verdict::success:
      return;
    case Verdict::refused:
      throw harness::Unsupported(words(status, call, last_words()));
    case Verdict::out_of_memory:
      throw nvidia::OutOfMemory(words(status, call, last_words()));
    case Verdict::broken:
      const std::string text = words(status, call, last_words());
      nvidia::check_device(text);
      throw std::runtime_error(text);
  }
}

}  // namespace benanza::cudnn
