#pragma once

#include <memory>
#include <string>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::verify {

/// A mistake that an implementation could make: it solves `mistaken` where `wanted` was asked. The
/// operands and the result have equal sizes, so that only verification can tell.
struct PlantedError {
  const char* what;
  const char* wanted;
  const char* mistaken;
  /// Precisions fine enough to show it; fp32 always is.
  std::vector<Precision> precisions = {Precision::fp32};
  /// Operand 0 goes where operand 1 belongs, and the other way round.
  bool swapped = false;
};

/// At least one for every operator.
const std::vector<PlantedError>& planted_errors();

/// Makes a primitive that solves the mistaken problem look like one that solves the wanted one.
class Mistaken : public harness::Primitive {
 public:
  Mistaken(const PlantedError& error, std::unique_ptr<harness::Primitive> inner);

  /// Operands that the mistaken problem does not have (a forgotten bias) are dropped.
  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override { inner_->restore(); }
  void poison_output() override { inner_->poison_output(); }
  void run() override { inner_->run(); }
  std::vector<float> download() override { return inner_->download(); }
  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }

 private:
  std::size_t operand_count_;
  bool swapped_;
  std::unique_ptr<harness::Primitive> inner_;
};

}  // namespace benanza::verify
