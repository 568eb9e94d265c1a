#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

namespace benanza::nvidia {

/// Ensures that only one process at a time measures on a GPU, since two would distort each other's
/// times. An advisory lock on a file, held until destruction or until the process ends for any
/// reason.
class DeviceLock {
 public:
  /// Waits for the lock, after printing one line to `notes` if it is taken. If the file cannot be
  /// opened, prints one line and continues without a lock.
  DeviceLock(const std::filesystem::path& file, std::ostream& notes);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// The lock file of a GPU, in the folder for temporary files. It is never deleted.
std::filesystem::path device_lock_file(std::string_view uuid);

/// The UUID of a GPU or MIG device in hexadecimal digits, "5b3c0a1d...". Throws like other CUDA
/// calls.
std::string device_uuid(int device);

}  // namespace benanza::nvidia
