#include "suites/harness/run/verification.h"

#include "suites/harness/deadline.h"

namespace benanza::harness {
namespace {

/// Ends the program if a call does not end: also one that recreates what a gradient reads, or that
/// an upload makes.
class Limited : public Primitive {
 public:
  explicit Limited(Primitive& primitive) : primitive_(primitive) {}

  void upload(std::size_t index, std::span<const float> values) override {
    // Gigabytes take a while on a busy machine.
    const Deadline deadline(5 * Deadline::of_a_call);
    primitive_.upload(index, values);
  }
  void restore() override {
    const Deadline deadline(Deadline::of_a_call);
    primitive_.restore();
  }
  void poison_output() override { primitive_.poison_output(); }
  void run() override {
    const Deadline deadline(Deadline::of_a_call);
    primitive_.run();
  }
  std::vector<float> download() override { return primitive_.download(); }
  std::optional<Glimpse> glimpse(std::span<const std::int64_t> places) override {
    return primitive_.glimpse(places);
  }
  std::int64_t workspace_bytes() const override { return primitive_.workspace_bytes(); }

 private:
  Primitive& primitive_;
};

/// Wraps a primitive whose inputs are already uploaded.
class Uploaded final : public Limited {
 public:
  using Limited::Limited;
  void upload(std::size_t, std::span<const float>) override {}
};

/// The traits by which the tolerance exceeds that of a plain sum.
Facts widening(const Traits& traits) {
  Facts facts;
  if (traits.rounding_amplification != 1) {
    facts["rounding_amplification"] = traits.rounding_amplification;
  }
  if (traits.partial_sums != Traits::few_partial_sums) facts["partial_sums"] = traits.partial_sums;
  return facts;
}

}  // namespace

Verification verify_before_timing(Primitive& primitive, const Variant& variant,
                                  const Traits& traits, const Verifier& verifier) {
  const Facts facts = widening(traits);
  Traits sums = traits;
  sums.transforms = false;
  Limited limited(primitive);
  Verification found{.mismatch =
                         verifier(limited, variant, Traits{.signed_data = traits.signed_data})};
  if (traits.in_place) found.facts["in_place"] = true;
  if (traits.reference) found.facts["reference"] = true;
  if (traits.strided_axes > 0) {
    found.facts["strided_axes"] = static_cast<double>(traits.strided_axes);
  }
  Uploaded uploaded(primitive);
  const auto verify_as = [&](const Traits& widened, const char* tolerance) {
    found.mismatch = verifier(uploaded, variant, widened);
    found.facts.insert(facts.begin(), facts.end());
    found.facts["tolerance"] = std::string(tolerance);
  };
  if (found.mismatch && !facts.empty()) verify_as(sums, "sum");
  if (found.mismatch && traits.transforms) verify_as(traits, "transform");
  return found;
}

std::optional<std::string> verify_after_timing(Primitive& primitive, const Variant& variant,
                                               const Traits& traits, const Verifier& verifier) {
  Uploaded uploaded(primitive);
  std::optional<std::string> mismatch = verifier(uploaded, variant, traits);
  if (mismatch) mismatch = "after timing: " + *mismatch;
  return mismatch;
}

}  // namespace benanza::harness
