#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// How the weights of one call (and the caches it reads) come from memory in every run.
struct Rotation {
  /// One after the other. They fill twice the caches; at least two.
  std::int64_t copies = 0;
  /// They are too small to fill the caches: what a flush of the caches before each round costs is
  /// measured instead.
  bool flushes = false;
  bool operator==(const Rotation&) const = default;
};
/// Empty if the problem has neither weights nor caches, the size of the caches is unknown (0), or
/// more than `most_rotating_copies` were necessary and flushes cannot be measured.
std::optional<Rotation> rotation(const Problem& problem, Precision precision,
                                 const Stopwatch& stopwatch);
inline constexpr std::int64_t most_rotating_copies = 128;
inline constexpr std::int64_t flushed_copies = 16;

/// A call whose runs take turns with copies of its weights and caches, as in a model whose weights
/// do not fit the cache: they come from memory, everything else is where the last run left it.
class RotatingCall final : public Primitive {
 public:
  /// `allocator` must outlive it. Throws as Way::make() does.
  RotatingCall(const Way& way, const Problem& problem, Allocator& allocator, std::int64_t copies);
  ~RotatingCall() override;

  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override;
  void poison_output() override;
  void run() override;
  std::vector<float> download() override;
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override;
  std::int64_t workspace_bytes() const override;
  std::int64_t round() const override;

 private:
  class Places;

  std::vector<bool> rotates_;
  std::unique_ptr<Places> places_;
  std::vector<std::unique_ptr<Primitive>> copies_;
  /// The one that runs next.
  std::size_t next_ = 0;
};

}  // namespace benanza::harness
