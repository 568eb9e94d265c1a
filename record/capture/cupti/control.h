#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace benanza::record {

/// Shared memory through which a recorder controls the processes it records: a file mapped by the
/// recorder and by each process.
class Control {
 public:
  /// Creates the file. Throws Error if that fails.
  static Control create(const std::filesystem::path& file);
  /// Maps an existing file. is_there() is false if it does not exist or cannot be mapped.
  static Control open(const std::filesystem::path& file) noexcept;
  Control(Control&& other) noexcept;
  Control& operator=(Control&&) = delete;
  ~Control();

  bool is_there() const { return words_ != nullptr; }
  /// Whether the process is to be recorded now.
  bool is_active() const { return words_->active.load(std::memory_order_relaxed) != 0; }
  void set_active(bool active) { words_->active.store(active ? 1 : 0); }
  /// A counter that keeps changing while the recorder is alive.
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

/// `benanza_list_counters(chip, use, refuse, data)` of the injected library.
using UseCounter = void (*)(void* data, const char* name, const char* description,
                            const char* endings);
using UseReason = void (*)(void* data, const char* reason);
using ListCounters = void(const char* chip, UseCounter use, UseReason refuse, void* data);

/// File names in the recorder's folder.
inline constexpr const char* control_file = "control";
inline constexpr const char* journal_ending = ".journal";
/// Environment variables that give a recorded process this folder and its options.
inline constexpr const char* folder_variable = "BENANZA_RECORD_FOLDER";
inline constexpr const char* range_variable = "BENANZA_RECORD_RANGE";
inline constexpr const char* graphs_variable = "BENANZA_RECORD_GRAPHS";
inline constexpr const char* memory_variable = "BENANZA_RECORD_MEMORY";
/// Counters of kernels, separated by commas; if there are any, nothing else is recorded.
inline constexpr const char* counters_variable = "BENANZA_RECORD_COUNTERS";

}  // namespace benanza::record
