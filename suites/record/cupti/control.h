#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace benanza::record {

/// What a recorder says to the processes that it records, in a file that all of them map. The
/// recorder's own, or a process' view of it.
class Control {
 public:
  /// Creates the file. Throws Error.
  static Control create(const std::filesystem::path& file);
  /// A file that is there; is_there() is false where it is not, or cannot be mapped.
  static Control open(const std::filesystem::path& file) noexcept;
  Control(Control&& other) noexcept;
  Control& operator=(Control&&) = delete;
  ~Control();

  bool is_there() const { return words_ != nullptr; }
  /// Shall be recorded now.
  bool is_active() const { return words_->active.load(std::memory_order_relaxed) != 0; }
  void set_active(bool active) { words_->active.store(active ? 1 : 0); }
  /// Changes while the recorder lives.
  std::uint32_t beat() const { return words_->beat.load(std::memory_order_relaxed); }
  void count_beat() { words_->beat.fetch_add(1, std::memory_order_relaxed); }

 private:
  struct Words {
    std::atomic<std::uint32_t> active;
    std::atomic<std::uint32_t> beat;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
  explicit Control(Words* words) : words_(words) {}
  static Words* map(const std::filesystem::path& file, int flags) noexcept;

  Words* words_;
};

/// The files of a recorder's folder.
inline constexpr const char* control_file = "control";
inline constexpr const char* journal_ending = ".journal";
/// How a recorded process finds that folder, and what it is asked for.
inline constexpr const char* folder_variable = "BENANZA_RECORD_FOLDER";
inline constexpr const char* range_variable = "BENANZA_RECORD_RANGE";
inline constexpr const char* graphs_variable = "BENANZA_RECORD_GRAPHS";

}  // namespace benanza::record
