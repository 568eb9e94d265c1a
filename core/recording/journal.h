#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/file_descriptor.h"
#include "core/recording/device_events.h"

/// A journal: the events of one process in a file that only grows, so that what was written stays
/// when the process is killed. It is read while it grows, on the machine that writes it. Eight
/// bytes say what it is; then frames: the size of what follows (32 bits), a kind, the fields.
/// Frames of kind 0 give a text a number, which later frames use; the latest one of a number holds.
namespace benanza {

inline constexpr std::string_view journal_magic = "BNZJRN2\n";

/// Writes a journal. Nothing of it throws: it runs inside of somebody else's program. Not for
/// several threads at once.
class JournalWriter {
 public:
  explicit JournalWriter(FileDescriptor file);

  void add(const Event& event);
  /// Everything added is in the file, or lost.
  void flush() noexcept;
  /// False once writing has failed (no room on the disk): nothing is written any more.
  bool is_good() const { return is_good_; }

 private:
  std::uint32_t number_of(std::string_view text);
  template <class T>
  void put(const T& value) {
    pending_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  FileDescriptor file_;
  bool is_good_ = true;
  std::string pending_;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  /// Of bounded size: emptied when it is full.
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

/// Reads a journal as it comes.
class JournalReader {
 public:
  /// Gives every event that `bytes`, the journal's next ones, hold as a whole, and returns how many
  /// bytes those were: the rest is to be given again with what follows it. Names live until the
  /// next call. Throws Error where it is no journal.
  std::size_t feed(std::string_view bytes, const std::function<void(const Event& event)>& use);

 private:
  bool has_begun_ = false;
  std::unordered_map<std::uint32_t, std::string> names_;
};

}  // namespace benanza
