#include "suites/harness/run/checked.h"

namespace benanza::harness {
namespace {

/// A primitive whose inputs are there already.
class Uploaded : public Primitive {
 public:
  Uploaded(Primitive& primitive, double amplification)
      : primitive_(primitive), amplification_(amplification) {}

  void upload(std::size_t, std::span<const float>) override {}
  void restore() override { primitive_.restore(); }
  void poison_output() override { primitive_.poison_output(); }
  void run() override { primitive_.run(); }
  std::vector<float> download() override { return primitive_.download(); }
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override {
    return primitive_.glimpse(places);
  }
  double rounding_amplification() const override { return amplification_; }
  std::int64_t workspace_bytes() const override { return primitive_.workspace_bytes(); }

 private:
  Primitive& primitive_;
  double amplification_;
};

/// As another primitive, but not allowed to round more than a plain sum.
class Plain : public Uploaded {
 public:
  explicit Plain(Primitive& primitive) : Uploaded(primitive, 1), whole_(primitive) {}
  void upload(std::size_t index, std::span<const float> values) override {
    whole_.upload(index, values);
  }

 private:
  Primitive& whole_;
};

}  // namespace

Checked check_before_timing(Primitive& primitive, const Variant& variant,
                            const Verifier& verifier) {
  const double amplification = primitive.rounding_amplification();
  const bool by_transform = transforms(variant.algorithm);
  // The name is what the tolerance of transforms is known by.
  Variant unnamed = variant;
  if (by_transform) unnamed.algorithm.clear();
  Plain plain(primitive);
  Checked checked{.mismatch = verifier(plain, unnamed)};
  Uploaded uploaded(primitive, amplification);
  if (checked.mismatch && amplification != 1) {
    checked.mismatch = verifier(uploaded, unnamed);
    checked.facts = {{"tolerance", std::string("sum")}, {"rounding_amplification", amplification}};
  }
  if (checked.mismatch && by_transform) {
    checked.mismatch = verifier(uploaded, variant);
    checked.facts = {{"tolerance", std::string("transform")}};
    if (amplification != 1) checked.facts["rounding_amplification"] = amplification;
  }
  return checked;
}

std::optional<std::string> check_after_timing(Primitive& primitive, const Variant& variant,
                                              const Verifier& verifier) {
  Uploaded uploaded(primitive, primitive.rounding_amplification());
  std::optional<std::string> mismatch = verifier(uploaded, variant);
  if (mismatch) mismatch = "after timing: " + *mismatch;
  return mismatch;
}

}  // namespace benanza::harness
