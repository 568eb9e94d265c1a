#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/plan_file/plan.h"
#include "core/problem/precision.h"
#include "suites/harness/backend.h"
#include "suites/harness/operands.h"
#include "suites/plan/places.h"
#include "suites/plan/values.h"

namespace benanza::plan {

/// Another allocator's memory, counted.
class CountedMemory final : public harness::Allocator {
 public:
  /// `memory` must outlive it.
  explicit CountedMemory(harness::Allocator& memory) : memory_(&memory) {}

  std::shared_ptr<std::byte> allocate(std::int64_t bytes) override {
    auto block = memory_->allocate(bytes);
    bytes_ += bytes;
    return block;
  }
  void write(std::byte* target, std::span<const std::byte> bytes) override {
    memory_->write(target, bytes);
  }
  void read(std::span<std::byte> bytes, const std::byte* source) override {
    memory_->read(bytes, source);
  }
  /// Of all blocks so far.
  std::int64_t bytes() const { return bytes_; }

 private:
  harness::Allocator* memory_;
  std::int64_t bytes_ = 0;
};

/// A step that gathers rows: operand 0 are the rows, operand 1 their indices, as whole numbers.
class Gather final : public harness::BareCall {
 public:
  /// `backend` moves the rows and must outlive this. `index_bytes`: 4 or 8.
  Gather(harness::Backend& backend, const GatheredRows& rows, Precision precision, int index_bytes,
         harness::Operands& places);

  void upload(std::size_t operand, std::span<const float> values) override;
  void run() override { backend_->gather(rows_); }
  std::vector<float> download() override;

 private:
  harness::Backend* backend_;
  Precision precision_;
  std::byte* source_;
  std::byte* indices_;
  harness::RowGather rows_;
};

/// A step whose result differs from what the file of values says, or the largest difference of all.
struct Difference {
  std::size_t step = 0;
  std::string tensor{};
  /// The largest distance of an element, relative to the largest element of the tensor.
  double relative = 0;
};

/// Where calls find scratch memory: all in the same, or each in its own, so that several can run at
/// the same time.
enum class Scratch { shared, own };

/// The calls of a plan, set up in one arena.
class PlannedModel : public harness::BareCall {
 public:
  /// `backends` make the calls, by name; all work on `memory`, or, if it is null, on that of the
  /// first. `values`: the model's constants and inputs; null: random ones. Throws Error, one line,
  /// naming the step, if a call is of none of them, is refused, or does not take its operands where
  /// the plan has them.
  PlannedModel(Plan plan, std::span<harness::Backend* const> backends, const Values* values,
               Scratch scratch = Scratch::shared, harness::Allocator* memory = nullptr);

  std::size_t steps() const { return stages_.size(); }
  /// How many calls convert between the formats of two steps.
  std::size_t conversions() const;
  /// Without the steps.
  void run_conversions();
  /// What run() does for a step; for the number of steps, after the last one, without a call.
  const std::vector<FormatConversion>& conversions_before(std::size_t step) const {
    return step < stages_.size() ? stages_[step].conversions : last_;
  }
  void run_call(std::size_t step) { stages_[step].call->run(); }
  harness::Primitive& call(std::size_t step) { return *stages_[step].call; }
  /// What it took to set up the step's call: building and compiling it, and its constants.
  double setup_seconds(std::size_t step) const { return stages_[step].setup_seconds; }
  std::int64_t bytes_beyond_arena() const { return places_.bytes_beyond_arena(); }
  /// All that it holds: the arena, constants as the calls have them, conversions and workspaces;
  /// not what a library's handle has.
  std::int64_t memory_bytes() const { return memory_.bytes(); }
  const Plan& plan() const { return plan_; }

  /// Runs step after step and compares each result that `values` has. Returns the first step beyond
  /// `tolerance`, otherwise the largest difference; empty if there was nothing to compare.
  std::optional<Difference> check(const Values& values, double tolerance);
  /// How many tensors check() compared.
  std::size_t compared() const { return compared_; }
  /// Those of them that are 0 throughout.
  std::size_t zeros() const { return zeros_; }

  /// The steps with their conversions, and what they wait for. Needs Scratch::own.
  std::vector<harness::Task> tasks() const;
  /// Some of these, which run at the same time if they need not wait for each other. Throws
  /// Unsupported. This must outlive it.
  std::unique_ptr<harness::Primitive> at_once(std::vector<harness::Task> tasks) const {
    return first_->branches(std::move(tasks));
  }
  /// Fills what the steps make for the caller with values that no correct call produces.
  void poison_results();
  /// Compares the steps' results that the caller reads, where they are. As check().
  std::optional<Difference> check_results(const Values& values);

  void run() override;
  /// The most of one call.
  std::int64_t workspace_bytes() const override;

 private:
  using Calls = std::vector<FormatConversion>;
  /// A step's call and the conversions before it.
  struct Stage {
    std::unique_ptr<harness::Operands> operands;
    Calls conversions{};
    std::unique_ptr<harness::Primitive> call{};
    std::vector<Access> accesses{};
    /// Stands for the memory that calls of the library share.
    const void* library = nullptr;
    double setup_seconds = 0;
    void run() const {
      run_all(conversions);
      call->run();
    }
  };

  static void run_all(const Calls& calls) {
    for (const FormatConversion& one : calls) one.call->run();
  }
  void fill(std::size_t input, ModelValues& values);
  void set_up(std::size_t step, std::span<harness::Backend* const> backends, ModelValues& values);
  void set_up_gather(const PlanStep& step, harness::Backend& backend, ModelValues& values);
  double difference(std::size_t step, std::span<const float> expected);
  /// Those that make something for the caller.
  std::vector<std::size_t> last_steps() const;

  Plan plan_;
  harness::Backend* first_;
  CountedMemory memory_;
  Scratch scratch_;
  Places places_;
  std::vector<Stage> stages_;
  /// Of the model's results, for its caller.
  Calls last_;
  std::vector<Access> last_accesses_;
  std::size_t compared_ = 0;
  std::size_t zeros_ = 0;
};

/// The conversions of a plan alone.
class Conversions final : public harness::BareCall {
 public:
  /// `model` must outlive this.
  explicit Conversions(PlannedModel& model) : model_(&model) {}
  void run() override { model_->run_conversions(); }

 private:
  PlannedModel* model_;
};

}  // namespace benanza::plan
