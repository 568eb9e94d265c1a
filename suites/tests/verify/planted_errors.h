#pragma once

#include <memory>
#include <string>
#include <vector>

#include "suites/harness/primitive.h"

namespace benanza::verify {

/// An implementation error: it solves `mistaken` instead of `wanted`. Operands and result have
/// equal sizes, so that only verification can detect it.
struct PlantedError {
  const char* what;
  const char* wanted;
  const char* mistaken;
  /// The precisions that are fine enough to show it; fp32 always is.
  std::vector<Precision> precisions = {Precision::fp32};
  /// Swaps operands 0 and 1.
  bool swapped = false;
};

/// Returns at least one error for every operator.
const std::vector<PlantedError>& planted_errors();

/// Wraps a primitive for the mistaken problem as one for the wanted problem.
class Mistaken : public harness::Primitive {
 public:
  Mistaken(const PlantedError& error, std::shared_ptr<harness::Primitive> inner);

  /// Drops operands that the mistaken problem does not have (a forgotten bias).
  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override { inner_->restore(); }
  void poison_output() override { inner_->poison_output(); }
  void run() override { inner_->run(); }
  std::vector<float> download() override { return inner_->download(); }
  std::int64_t workspace_bytes() const override { return inner_->workspace_bytes(); }

 private:
  std::size_t operand_count_;
  bool swapped_;
  std::shared_ptr<harness::Primitive> inner_;
};

}  // namespace benanza::verify
