#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::harness {

/// A call that can be given operands like a model's once it is verified: the values of verification
/// have few significant bits, and products of random numbers grow from layer to layer until they
/// overflow. A GPU needs less energy for short numbers, zeros and infinities than for others.
/// Everything else is passed on to the call.
class TypicalCall final : public Primitive {
 public:
  TypicalCall(std::shared_ptr<Primitive> call, const Variant& variant);

  /// The call itself: stopwatches may have to know what they time.
  Primitive& call() { return *call_; }

  /// Uploads what was uploaded again, every value up to a sixteenth closer to 0, so that it has all
  /// bits of its type. Truth values and operands of int8 stay. Once only.
  void use_all_bits();

  /// Runs the call, and again with its weights multiplied by powers of two until the root mean
  /// square of its result is between 1/8 and 8, four times at most. Its operands must be set.
  /// Returns false if the result is not finite.
  bool scale();

  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override { call_->restore(); }
  void poison_output() override { call_->poison_output(); }
  void run() override { call_->run(); }
  std::vector<float> download() override { return call_->download(); }
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override {
    return call_->glimpse(places);
  }
  std::int64_t workspace_bytes() const override { return call_->workspace_bytes(); }
  Facts facts() override { return call_->facts(); }
  Facts profile() override { return call_->profile(); }

 private:
  /// Of some places of the result. Not finite if one of them is not.
  double root_mean_square();

  std::shared_ptr<Primitive> call_;
  std::vector<Operand> operands_;
  bool has_short_values_ = false;
  std::int64_t results_ = 0;
  /// The operand that is scaled; empty if there is none.
  std::optional<std::size_t> weights_;
  /// What was uploaded; after use_all_bits() only the values of the weights.
  std::map<std::size_t, std::vector<float>> values_;
};

}  // namespace benanza::harness
