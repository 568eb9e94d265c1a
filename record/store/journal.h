#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/file_descriptor.h"
#include "record/store/device_events.h"

/// A journal: the events of one process in an append-only file, so that everything written survives
/// when the process is killed. It can be read while it grows, on the machine that writes it.
/// Format: eight bytes of magic, then frames: size of the rest (32 bits), kind, fields. Frames of
/// kind 0 assign a number to a text, for use in later frames; a later assignment of the same number
/// replaces it.
namespace benanza {

inline constexpr std::string_view journal_magic = "BNZJRN2\n";

/// Writes a journal. No member throws, because it runs inside the recorded program. Not
/// thread-safe.
class JournalWriter {
 public:
  explicit JournalWriter(FileDescriptor file);

  void add(const Event& event);
  /// On return, everything added is in the file, or lost.
  void flush() noexcept;
  /// False after a write has failed (e.g. disk full): nothing more is written.
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
  /// Bounded: cleared when full.
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

/// Reads a journal incrementally.
class JournalReader {
 public:
  /// Passes on every complete event in `bytes`, the next part of the journal, and returns the
  /// number of bytes consumed; the caller must pass the rest again with the bytes that follow.
  /// Names are valid until the next call. Throws Error if it is not a journal of this version or is
  /// damaged.
  std::size_t feed(std::string_view bytes, const std::function<void(const Event& event)>& use);

 private:
  bool has_begun_ = false;
  std::unordered_map<std::uint32_t, std::string> names_;
};

}  // namespace benanza
