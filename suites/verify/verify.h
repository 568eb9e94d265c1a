#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suites/harness/primitive.h"
#include "suites/verify/operand_pool.h"
#include "suites/verify/reference.h"

namespace benanza::verify {

/// Inputs of one problem and what a sample of its result must be: made once, used for every layout
/// and algorithm. Holds the latest problem and precision only; VerificationCases holds several.
class VerificationCase {
 public:
  /// One element to compare. `at`: its coordinates, in output(problem) (a Copy: in what it moves).
  struct Sample {
    Dims at;
    std::int64_t flat_index = 0;
    /// In units of the stored result: at int8, scaled and saturated.
    Element expected;
  };

  /// Makes inputs and samples unless they are there already.
  void prepare(const Problem& problem, Precision precision);
  /// With operands from `pool` where it has them. `known`: the samples, if an earlier case of the
  /// same problem and precision made them; else null.
  void prepare(const Problem& problem, Precision precision, OperandPool& pool,
               const std::vector<Sample>* known);
  /// Leaves its operands to other cases. The case has to be prepared again.
  void give_back(OperandPool& pool);

  /// Samples of another problem with the same inputs, which came along with those of this one.
  struct Companion {
    Problem problem;
    std::vector<Sample> samples;
  };
  const std::optional<Companion>& companion() const { return companion_; }

  const std::vector<std::vector<float>>& operands() const { return operands_; }
  const std::vector<Sample>& samples() const { return samples_; }
  /// Sample::flat_index of each.
  std::vector<std::int64_t> places() const;
  /// The sample at coordinates `at` of the prepared problem.
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
  /// Where not ok: "element (0,3,5,5): 1.25, expected 1.75 (tolerance 1e-05)".
  std::string message;
};

/// Runs `primitive`, set up for `problem` and `precision`, once on random inputs. Looks at every
/// element for what poison_output left, and compares some 200 with the reference: the corners,
/// edges and inside in equal parts, fewer where sums are long (at most 5 million products in all).
/// Of a collective, every element is compared.
/// Of an operator that drops elements at random, those that are left are compared, and the share of
/// the others. The primitive restores itself before the call; the inputs stay in it. What the
/// primitive throws passes through. `algorithm`: the primitive's, for what is only known by its
/// name: where harness::transforms() it and some places are off by more than their own sums allow,
/// transform_tolerance() decides. Products at fp32 must keep to fp32_product_tolerance(), too.
VerificationResult verify(harness::Primitive& primitive, const Problem& problem,
                          Precision precision, VerificationCase& cache,
                          const harness::Algorithm& algorithm = {});

}  // namespace benanza::verify
