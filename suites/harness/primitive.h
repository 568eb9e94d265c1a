#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/precision.h"
#include "core/problem/problem.h"
#include "core/results_file/row.h"

namespace benanza::harness {

/// A library's name for one way of solving a problem, e.g. "jit:avx2". Holds no '/' and no space.
using Algorithm = std::string;

/// Does the algorithm multiply transforms of its operands (Winograd, FFT)? The libraries say so in
/// its name alone; plans of cuDNN's graph interface ("engine17.k2=3") do not say.
bool transforms(std::string_view algorithm);

/// problem x precision x layout x algorithm: what a backend sets up as one Primitive.
struct Variant {
  Problem problem;
  Precision precision = Precision::fp32;
  Layout layout = Layout::plain;
  Algorithm algorithm;
};

/// The library refuses the variant, in its own words. The row becomes `unsupported`.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The engine is gone for this process: every later call would fail too. The row becomes `failed`
/// and the run ends; the next run leaves the variant out and goes on.
class EngineLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There is no device to measure on, or to ask.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One variant, set up and ready to run again and again. Knows nothing of timing, names or JSON.
/// Values cross this border as floats in row-major logical order, whatever the variant's precision
/// and layout; the harness picks inputs that the precision holds exactly. At int8 the result is
/// round(int8_scale(problem) * exact result), saturated to [-128, 127]; a residual is stored scaled
/// alike, as the result of a layer before would be.
class Primitive {
 public:
  virtual ~Primitive() = default;

  /// Stores operand `index` of inputs(problem). `values` has element_count(operand.dims) elements.
  virtual void upload(std::size_t index, std::span<const float> values) = 0;
  /// Makes again, behind the uploads and outside of the time, what a call uses up and is no
  /// operand: what a forward call leaves for its gradient. Called before every call whose result is
  /// looked at; calls that are timed follow one another without it. May write to the result.
  virtual void restore() {}
  /// Fills the result with a value no correct call leaves behind: NaN, or -128 for integers. A call
  /// that adds to what its result holds finds the residual there.
  virtual void poison_output() = 0;
  /// One call of the library, enqueued on the backend's stream.
  virtual void run() = 0;
  /// The result, element_count(output(problem)) values, after all enqueued calls have finished.
  virtual std::vector<float> download() = 0;
  /// What verification looks at: the result's values at some places, and a place that still holds
  /// what poison_output() left, if there is one.
  struct Glimpse {
    std::vector<float> values;
    std::optional<std::int64_t> poisoned;
  };
  /// The same as download() would show at row-major `places`, without moving all of the result.
  /// Empty where only download() tells.
  virtual std::optional<Glimpse> glimpse(std::span<const std::int64_t> places);
  /// How many times as far off as a plain fp32 sum a correct call may be, because its algorithm
  /// transforms tiles of the image (Winograd).
  virtual double rounding_amplification() const { return 1; }
  /// How many partial sums a correct call may add up in the type of its result, rounding each time:
  /// slices of long sums, or all that atomic operations add.
  virtual double partial_sums() const { return few_partial_sums; }
  static constexpr double few_partial_sums = 4;
  /// Scratch memory beyond operands and result, in bytes.
  virtual std::int64_t workspace_bytes() const = 0;
  /// Asked after the timing.
  virtual Facts facts() { return {}; }
  /// What a profiler finds, in some runs more. Asked when nothing is left to time: a process in
  /// which a profiler has been at work is not timed any more.
  virtual Facts profile() { return {}; }
};

/// Factor of an int8 result, a power of two: keeps random sums inside 8 bits.
float int8_scale(const Problem& problem);

}  // namespace benanza::harness
