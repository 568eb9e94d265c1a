#include "suites/harness/run/checked.h"

namespace benanza::harness {
namespace {

/// Wraps a primitive whose inputs are already uploaded.
class Uploaded : public Primitive {
 public:
  Uploaded(Primitive& primitive, double amplification, double partial_sums)
      : primitive_(primitive), amplification_(amplification), partial_sums_(partial_sums) {}

  void upload(std::size_t, std::span<const float>) override {}
  void restore() override { primitive_.restore(); }
  void poison_output() override { primitive_.poison_output(); }
  void run() override { primitive_.run(); }
  std::vector<float> download() override { return primitive_.download(); }
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override {
    return primitive_.glimpse(places);
  }
  double rounding_amplification() const override { return amplification_; }
  double partial_sums() const override { return partial_sums_; }
  std::int64_t workspace_bytes() const override { return primitive_.workspace_bytes(); }

 private:
  Primitive& primitive_;
  double amplification_;
  double partial_sums_;
};

Uploaded uploaded(Primitive& primitive) {
  return {primitive, primitive.rounding_amplification(), primitive.partial_sums()};
}

/// Wraps a primitive, but with the rounding tolerance of a plain sum.
class Plain : public Uploaded {
 public:
  explicit Plain(Primitive& primitive)
      : Uploaded(primitive, 1, few_partial_sums), whole_(primitive) {}
  void upload(std::size_t index, std::span<const float> values) override {
    whole_.upload(index, values);
  }

 private:
  Primitive& whole_;
};

/// The factors by which the primitive widens the tolerance of a plain sum.
Facts widening(const Primitive& primitive) {
  Facts facts;
  const double amplification = primitive.rounding_amplification();
  const double partial_sums = primitive.partial_sums();
  if (amplification != 1) facts["rounding_amplification"] = amplification;
  if (partial_sums != Primitive::few_partial_sums) facts["partial_sums"] = partial_sums;
  return facts;
}

}  // namespace

Checked check_before_timing(Primitive& primitive, const Variant& variant,
                            const Verifier& verifier) {
  const Facts facts = widening(primitive);
  const bool by_transform = transforms(variant.algorithm);
  // The verifier applies the tolerance of transforms based on the algorithm's name.
  Variant unnamed = variant;
  if (by_transform) unnamed.algorithm.clear();
  Plain plain(primitive);
  Checked checked{.mismatch = verifier(plain, unnamed)};
  Uploaded widened = uploaded(primitive);
  if (checked.mismatch && !facts.empty()) {
    checked.mismatch = verifier(widened, unnamed);
    checked.facts = facts;
    checked.facts["tolerance"] = std::string("sum");
  }
  if (checked.mismatch && by_transform) {
    checked.mismatch = verifier(widened, variant);
    checked.facts = facts;
    checked.facts["tolerance"] = std::string("transform");
  }
  return checked;
}

std::optional<std::string> check_after_timing(Primitive& primitive, const Variant& variant,
                                              const Verifier& verifier) {
  Uploaded same = uploaded(primitive);
  std::optional<std::string> mismatch = verifier(same, variant);
  if (mismatch) mismatch = "after timing: " + *mismatch;
  return mismatch;
}

}  // namespace benanza::harness
