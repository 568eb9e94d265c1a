#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::harness {

/// A file of lines to which one process at a time appends, each line on disk before append()
/// returns: what survives kill -9 and a full disk. A journal that ends empty leaves no file.
class Journal {
 public:
  /// Opens or creates `path` and locks it until destruction. Lines already there are kept; a last
  /// line without its end is cut off. Throws Error naming `path`, also if another process holds it.
  explicit Journal(std::filesystem::path path);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// The lines found when the journal was opened.
  const std::vector<std::string>& lines() const { return lines_; }
  /// `line` holds no line break. Throws Error if it cannot be written; the file then ends with the
  /// line before.
  void append(std::string_view line);
  /// Appends; for who has no time for append().
  int descriptor() const { return descriptor_; }
  /// Forgets every line: they are not wanted, or safe elsewhere.
  void clear();

 private:
  void lock();
  void load();
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<std::string> lines_;
};

}  // namespace benanza::harness
