#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/way.h"
#include "suites/verify/operand_pool.h"
#include "suites/verify/reference.h"

namespace benanza::verify {

/// The inputs of one problem and a sample of its expected result, made once and used for every
/// layout and algorithm. Holds the latest problem and precision only; VerificationCases holds
/// several.
class VerificationCase {
 public:
  /// One element to compare. `at` are its coordinates in output(problem), or, for a Copy, in the
  /// moved extents.
  struct Sample {
    Dims at;
    std::int64_t flat_index = 0;
    /// In units of the stored result: scaled and saturated at int8.
    Element expected;
  };

  /// Makes inputs and samples unless they exist already.
  void prepare(const Problem& problem, Precision precision);
  /// The same, taking operands from `pool` if available. `known` are the samples made by an earlier
  /// case of the same problem and precision, or null.
  void prepare(const Problem& problem, Precision precision, OperandPool& pool,
               const std::vector<Sample>* known);
  /// Moves its operands to `pool`. The case must then be prepared again.
  void give_back(OperandPool& pool);

  /// Samples of another problem with the same inputs, computed together with those of this one.
  struct Companion {
    Problem problem;
    std::vector<Sample> samples;
  };
  const std::optional<Companion>& companion() const { return companion_; }

  const std::vector<std::vector<float>>& operands() const { return operands_; }
  const std::vector<Sample>& samples() const { return samples_; }
  /// The flat_index of each sample.
  std::vector<std::int64_t> places() const;
  /// Returns the sample at coordinates `at` of the prepared problem.
  Sample sample(Dims at) const;

 private:
  std::vector<Sample> samples_at(std::vector<Dims> all) const;
  std::vector<Sample> samples_of(std::vector<Dims> all, const std::vector<std::int64_t>& places,
                                 const Element* elements) const;
  void make_samples();

  std::optional<Problem> problem_;
  std::optional<Companion> companion_;
  Precision precision_ = Precision::fp32;
  std::vector<std::vector<float>> operands_;
  std::vector<Recipe> recipes_;
  std::vector<Sample> samples_;
};

struct VerificationResult {
  bool ok = false;
  /// If not ok: "element (0,3,5,5): 1.25, expected 1.75 (tolerance 1e-05)".
  std::string message;
};

/// Runs `primitive`, set up for `problem` and `precision`, once on random inputs. Checks every
/// element for poison left by poison_output(), and compares up to 200 elements with the reference:
/// the first and the last, and random ones, about half of them on an edge. Long sums get fewer (5
/// million products in total, but at least 4 elements). For a collective, every element is
/// compared, except at int8. For an operator that drops elements at random, the remaining ones are
/// compared, and the share of dropped ones is checked. The primitive restores itself before the
/// call; the inputs stay in it. Exceptions of the primitive pass through. `traits` are those of its
/// way: if it transforms its operands and some places exceed tolerance(), transform_tolerance()
/// decides. Products at fp32 must also satisfy fp32_product_tolerance().
VerificationResult verify(harness::Primitive& primitive, const Problem& problem,
                          Precision precision, VerificationCase& cache,
                          const harness::Traits& traits = {});

}  // namespace benanza::verify
