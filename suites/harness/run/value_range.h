#pragma once

#include <memory>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::harness {

/// A call of a sequence, which remembers the weights of a product that are uploaded to it, so that
/// the values of the calls after it can be kept in a usual range: products of random numbers grow
/// from layer to layer until they overflow, and a GPU needs less energy for infinities and zeros
/// than for numbers. Everything else is passed on to the call.
class ScalableCall final : public Primitive {
 public:
  ScalableCall(std::unique_ptr<Primitive> call, const Variant& variant);

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
  double rounding_amplification() const override { return call_->rounding_amplification(); }
  double partial_sums() const override { return call_->partial_sums(); }
  std::int64_t workspace_bytes() const override { return call_->workspace_bytes(); }
  Facts facts() override { return call_->facts(); }
  Facts profile() override { return call_->profile(); }

 private:
  /// Of some places of the result. Not finite if one of them is not.
  double root_mean_square();

  std::unique_ptr<Primitive> call_;
  std::int64_t results_ = 0;
  /// The operand that is scaled, and its values; empty if there is none.
  std::optional<std::size_t> weights_;
  std::vector<float> values_;
};

}  // namespace benanza::harness
