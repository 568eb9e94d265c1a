#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/choose/options.h"
#include "suites/harness/operands.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Where the calls of a sequence have their data, as in a model that runs: a call's first operand
/// lies where the previous call left its result, which two places take in turn. A third holds what
/// earlier calls left (the second operand of a sum). Scratch memory is shared, too. Weights, the
/// operand of the first call, further results, and what does not fit have blocks of their own.
class SharedPlaces final : public OwnOperands {
 public:
  /// `bytes` in each place. Must outlive all calls of the sequence.
  SharedPlaces(Allocator& allocator, std::int64_t bytes);

  /// The call made next is of this problem.
  void begin(const Problem& problem);
  std::byte* operand(std::size_t index, std::int64_t bytes, const MemoryFormat& format) override;
  std::byte* result(std::size_t index, std::int64_t bytes, const MemoryFormat& format) override;
  std::byte* scratch(std::int64_t bytes) override;

 private:
  std::byte* fitting(std::size_t place, std::int64_t bytes);

  std::int64_t bytes_;
  std::array<std::byte*, 3> places_{};
  std::byte* scratch_ = nullptr;
  std::int64_t scratch_bytes_ = 0;
  std::size_t calls_ = 0;
  /// The first operand whose values may be any.
  std::optional<std::size_t> first_;
  std::optional<std::size_t> second_;
};

/// Bytes that each place needs so that the largest data operand or result of these problems fits,
/// with every channel padded to 16.
std::int64_t place_bytes(std::span<const Problem> problems);

/// A call of a model: the variant that does it.
struct SequenceCall {
  std::string layer{};
  std::string op{};
  /// By itself, as the results have it; of one call.
  double seconds = 0;
  std::string name{};
};

/// What `benanza-analyze calls --out` writes: the calls of one model, in their order.
struct ModelCalls {
  std::string model{};
  std::optional<std::int64_t> batch{};
  std::string precision{};
  bool fused = false;
  std::vector<SequenceCall> calls{};
};

/// Throws Error, one line.
ModelCalls read_sequence(const std::filesystem::path& path);

/// Sets up all calls of options.sequence, which share their data (SharedPlaces), verifies
/// each, and times them back to back by the stopwatch of `backend`. `companions`
/// are further backends of its device. Writes what `benanza-analyze bound --sequence` reads to
/// options.sequence_out, and prints one line. Throws Error for a call of any other backend or one
/// that is refused or wrong.
void run_sequence(Backend& backend, std::span<Backend* const> companions,
                  const SuiteOptions& options, const Verifier& verifier);

}  // namespace benanza::harness
