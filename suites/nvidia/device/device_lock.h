#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

namespace benanza::nvidia {

/// One process measures on a GPU at a time: two would share it, and take each other's time for
/// their own. Held by an advisory lock on a file, until destroyed or until the process ends,
/// however it ends.
class DeviceLock {
 public:
  /// Waits for the lock, after one line to `notes` if it is not free. Where the file cannot be
  /// opened: one line, and no lock.
  DeviceLock(const std::filesystem::path& file, std::ostream& notes);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// In the folder for temporary files, and never deleted.
std::filesystem::path device_lock_file(std::string_view uuid);

/// "5b3c0a1d..." in hexadecimal digits: one for each GPU, and for each MIG device. Throws what CUDA
/// calls throw.
std::string device_uuid(int device);

}  // namespace benanza::nvidia
