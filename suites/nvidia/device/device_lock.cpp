#include "suites/nvidia/device/device_lock.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>

#include "suites/nvidia/device/check.h"

namespace benanza::nvidia {
namespace {

/// An existing file is opened without O_CREAT, which a shared folder may forbid for another user's
/// file.
int open_or_create(const std::filesystem::path& file) {
  const int existing = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (existing >= 0 || errno != ENOENT) return existing;
  return ::open(file.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
}

}  // namespace

DeviceLock::DeviceLock(const std::filesystem::path& file, std::ostream& notes)
    : descriptor_(open_or_create(file)) {
  if (descriptor_ < 0) {
    notes << file.string() << ": " << std::strerror(errno)
          << "; nothing keeps another suite from this GPU\n";
    return;
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  notes << "waiting for another suite on this GPU (" << file.string() << ")\n" << std::flush;
  while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

DeviceLock::~DeviceLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::filesystem::path device_lock_file(std::string_view uuid) {
  return std::filesystem::temp_directory_path() / ("benanza-gpu-" + std::string(uuid) + ".lock");
}

std::string device_uuid(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : properties.uuid.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += digits[value >> 4U];
    text += digits[value & 15U];
  }
  return text;
}

}  // namespace benanza::nvidia
