#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/problem/precision.h"
#include "core/problem/problem.h"
#include "core/results_file/row.h"
#include "suites/harness/int8_scale.h"

namespace benanza::harness {

/// A library's name for one way of solving a problem, e.g. "jit:avx2". Contains no '/' and no
/// space.
using Algorithm = std::string;

/// Of operands and results that are not dense where the caller has them, in elements.
struct Strides {
  /// One per operand of the problem, empty for those that are dense; none: all are.
  std::vector<Dims> operands{};
  /// Of the first result; empty: dense.
  Dims result{};
  bool operator==(const Strides&) const = default;
};

/// problem x precision x layout x algorithm: what a backend sets up as one Primitive.
struct Variant {
  Problem problem;
  Precision precision = Precision::fp32;
  Layout layout = Layout::plain;
  Algorithm algorithm;
  /// Only for ways whose traits take them.
  Strides strides{};
};

/// The library refuses the variant; the message is the library's own. The row becomes
/// `unsupported`.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The engine is unusable for the rest of this process, so that all later calls would fail, too.
/// The row becomes `failed` and the run ends; the next run skips the variant and continues.
class EngineLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is no device to measure on or to query.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One variant, set up and ready to run repeatedly: a way's call (way.h). Independent of timing,
/// names and JSON. Values are passed in and out as floats in row-major logical order, whatever the
/// variant's precision and layout; the harness picks inputs that the precision represents exactly.
/// At int8 the result is round(int8_scale(problem) * exact result), saturated to [-128, 127]; a
/// residual is stored with the same scale, as the result of the previous layer would be, and so is
/// a term of a step.
class Primitive {
 public:
  virtual ~Primitive() = default;

  /// Stores operand `index` of inputs(problem). `values` has element_count(operand.dims) elements.
  virtual void upload(std::size_t index, std::span<const float> values) = 0;
  /// Recreates, after the uploads and outside the timed region, whatever a call consumes that is
  /// not an operand, e.g. what a forward call leaves for its gradient. Called before every call
  /// whose result is checked, but not between timed calls. May write to the result.
  virtual void restore() {}
  /// Fills the result with a value no correct call produces: NaN, or -128 for integers. If the call
  /// accumulates into its result, the residual is stored there instead.
  virtual void poison_output() = 0;
  /// One call of the library, enqueued on the backend's stream.
  virtual void run() = 0;
  /// The result, element_count(output(problem)) values, after all enqueued calls have finished.
  virtual std::vector<float> download() = 0;
  /// The part of a result that verification reads: the values at some places, and one place that
  /// still holds the value of poison_output(), if there is one.
  struct Glimpse {
    std::vector<float> values;
    std::optional<std::int64_t> poisoned;
  };
  /// Returns the values that download() would return at the row-major indices `places`, without
  /// transferring the whole result. Empty if not implemented; verification then uses download().
  virtual std::optional<Glimpse> glimpse(std::span<const std::int64_t>) { return std::nullopt; }
  /// Scratch memory beyond operands and result, in bytes.
  virtual std::int64_t workspace_bytes() const = 0;
  /// Works in memory that other calls of its library use as well: no two of them may run at a time.
  virtual bool shares_workspace() const { return false; }
  /// Runs differ, and repeat themselves after so many: only whole rounds are timed.
  virtual std::int64_t round() const { return 1; }
  /// Additional facts for the row. Called after timing.
  virtual Facts facts() { return {}; }
  /// Facts from a profiler, which takes additional runs. Called when nothing is left to time,
  /// because a process is not used for timing once a profiler has run in it.
  virtual Facts profile() { return {}; }
};

/// A call that solves no problem: it is only run.
class BareCall : public Primitive {
 public:
  void upload(std::size_t, std::span<const float>) override { no_problem(); }
  void poison_output() override { no_problem(); }
  std::vector<float> download() override { no_problem(); }
  std::int64_t workspace_bytes() const override { return 0; }

 private:
  [[noreturn]] static void no_problem() { throw std::logic_error("this call solves no problem"); }
};

/// The library has the call, which is known to compute wrong results: it is not made. The row
/// becomes `unsupported`, with a fact (core/results_file/outcome_facts.h).
class KnownDefect : public Unsupported {
 public:
  using Unsupported::Unsupported;
};

/// Calls that run one after the other, and which tasks have to be done before.
struct Task {
  std::vector<Primitive*> calls{};
  /// Indices of earlier tasks.
  std::vector<std::size_t> after{};
};

}  // namespace benanza::harness
