#pragma once

#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::verify {

/// Solves a problem element by element with the reference and rounds the result to `precision`,
/// like a slow but correct library.
class ReferencePrimitive : public harness::Primitive {
 public:
  ReferencePrimitive(Problem problem, Precision precision);

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  void run() override;
  std::vector<float> download() override { return result_; }
  std::int64_t workspace_bytes() const override { return 0; }

 protected:
  std::vector<float> result_;

 private:
  float stored(double value) const;

  Problem problem_;
  Precision precision_;
  std::vector<std::vector<float>> operands_;
};

/// Rounds `value` to bf16, ties to even.
float rounded_to_bf16(float value);
/// Rounds `value` to a significand of `bits` bits, ties to even: 8 for bf16, 11 for TF32 and fp16.
float rounded_to_bits(float value, int bits);

}  // namespace benanza::verify
