#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan_file/plan.h"
#include "suites/harness/backend.h"
#include "suites/plan/values.h"

namespace benanza::plan {

/// A step whose result differs from what the file of values says, or the largest difference of all.
struct Difference {
  std::size_t step = 0;
  std::string tensor{};
  /// The largest distance of an element, relative to the largest element of the tensor.
  double relative = 0;
};

/// The calls of a plan, set up in one arena.
class PlannedModel : public harness::Primitive {
 public:
  /// `backends` make the calls, by name; all work on the memory of the first. `values`: the model's
  /// constants and inputs; null: random ones. Throws Error, one line, naming the step, if a call is
  /// of none of them, is refused, or does not take its operands where the plan has them.
  PlannedModel(Plan plan, std::span<harness::Backend* const> backends, const Values* values);

  std::size_t steps() const { return calls_.size(); }
  const Plan& plan() const { return plan_; }

  /// Runs step after step and compares each result that `values` has. Returns the first step beyond
  /// `tolerance`, otherwise the largest difference; empty if there was nothing to compare.
  std::optional<Difference> check(const Values& values, double tolerance);
  /// How many tensors check() compared.
  std::size_t compared() const { return compared_; }

  void run() override;
  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  std::vector<float> download() override;
  /// The most of one call.
  std::int64_t workspace_bytes() const override;

 private:
  void set_up(std::size_t step, std::span<harness::Backend* const> backends, const Values* values);
  void fill(std::size_t step, const Values* values);
  std::vector<float> values_of(std::size_t tensor, const Values* values) const;
  double difference(std::size_t step, std::span<const float> expected);

  Plan plan_;
  std::shared_ptr<std::byte> arena_;
  std::vector<std::unique_ptr<harness::Operands>> operands_;
  std::vector<std::unique_ptr<harness::Primitive>> calls_;
  std::size_t compared_ = 0;
};

}  // namespace benanza::plan
