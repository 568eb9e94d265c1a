#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "suites/harness/way.h"

namespace benanza::harness {

/// How often the weights of one call have to be in memory, one copy after the other, to be read
/// from memory by every call: so that the copies fill twice `cache_bytes`, at least two. Empty if
/// the problem has no weights, the cache is unknown (0), or that takes more than `most_copies`.
std::optional<std::int64_t> rotating_copies(const Problem& problem, Precision precision,
                                            std::int64_t cache_bytes);
inline constexpr std::int64_t most_rotating_copies = 128;

/// A call whose runs take turns with copies of its weights, as in a model whose weights do not fit
/// the cache: weights come from memory, everything else is where the last run left it.
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

  std::vector<bool> is_weight_;
  std::unique_ptr<Places> places_;
  std::vector<std::unique_ptr<Primitive>> copies_;
  /// The one that runs next.
  std::size_t next_ = 0;
};

}  // namespace benanza::harness
