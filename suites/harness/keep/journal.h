#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace benanza::harness {

/// Another process writes the file.
struct InUse : Error {
  using Error::Error;
};

/// An append-only file of lines with a single writer process. Each line is in the file before
/// append() returns, so it survives kill -9 and a full disk. A crash of the system may lose the
/// latest lines: the disk is waited for once a second, because that takes longer than many
/// measurements. A journal that is empty at destruction is deleted.
class Journal {
 public:
  /// Opens or creates `path` and locks it until destruction. Existing lines are kept; an incomplete
  /// last line is truncated. Throws Error naming `path`; InUse if another process holds the lock.
  explicit Journal(std::filesystem::path path);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// The lines found when the journal was opened.
  const std::vector<std::string>& lines() const { return lines_; }
  /// Appends `line`, which must not contain a line break. Throws Error if it cannot be written; the
  /// file then ends with the previous line.
  void append(std::string_view line);
  /// A descriptor opened with O_APPEND, for callers that cannot use append(), such as signal
  /// handlers.
  int descriptor() const { return descriptor_; }
  /// Removes all lines, because they are unwanted or stored elsewhere.
  void clear();

 private:
  void lock();
  void load();
  bool sync();
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::chrono::steady_clock::time_point synced_{};
  std::vector<std::string> lines_;
};

}  // namespace benanza::harness
