#pragma once

#include <chrono>
#include <limits>
#include <utility>

#include "suites/harness/backend.h"
#include "suites/harness/registration.h"

namespace benanza::harness {

/// What makes a run last: a place where it stops until a test lets it go on, and time.
struct Hold {
  /// Primitives that are timed before; none of the later ones is until `gate` exists.
  int primitives = std::numeric_limits<int>::max();
  /// "`gate`.reached" is written when the run gets there.
  std::string gate = "";
  /// Really spent in every time().
  std::chrono::milliseconds pause{0};
};

/// Says how long calls took instead of looking at a clock; runs the primitive all the same, once.
class FakeStopwatch : public Stopwatch {
 public:
  explicit FakeStopwatch(Hold hold) : hold_(std::move(hold)) {}

  /// The primitive, a FakePrimitive, says it: 100 us a call, or noise between 200 and 300 us.
  double time(Primitive& primitive, std::int64_t calls) override;
  /// 250 us.
  double time_cold(Primitive& primitive) override;

 private:
  Hold hold_;
  int primitives_ = 0;
};

/// A library that answers every way a library can:
///   relu     direct, strided (slow and noisy), and ref as reference code,
///            which fails when it is set up for the third time; layouts nchw and nhwc
///   tanh     wrong (computes something else), refused (by create), throws, memory (runs out of it)
///   sigmoid  no algorithm: unsupported
///   clip     lost (takes the engine down)
///   gelu     segfault, abort (end the program)
///   leakyrelu  direct, and lost-later (takes the engine down in its third call), as reference code
///            wears-out (wrong from its sixth call on); a ReLU, too
///   linear   takes the engine down while it lists its algorithms
///   softmax  no such operator, and so no row
///   any      wears-out, overwrites (its operand), uses-up (what restore() makes)
///   elu      fails while it lists its algorithms
class FakeBackend : public Backend {
 public:
  /// `threads`: what system() says.
  explicit FakeBackend(std::string threads, Hold hold = {})
      : threads_(std::move(threads)), stopwatch_(std::move(hold)) {}

  std::string_view name() const override { return "fake"; }
  std::vector<std::string> devices() const override { return {"0: fake"}; }
  std::vector<BackendFlag> flags() const override { return {{"--mood", "MOOD", "of the library"}}; }
  std::vector<LibraryVersion> libraries() const override { return {{"libfake", "1.2.3"}}; }
  System system() override { return {{"device", "fake \"0\""}, {"threads", threads_}}; }
  /// How many primitives it has made.
  std::vector<std::pair<std::string, std::string>> context() override {
    return {{"primitives_made", std::to_string(primitives_made_)}};
  }
  std::vector<Layout> layouts(const Problem& problem) const override;
  std::vector<Algorithm> algorithms(const Problem& problem, Precision precision, Layout layout,
                                    AlgorithmSet set) override;
  std::unique_ptr<Primitive> create(const Variant& variant) override;
  Stopwatch& stopwatch() override { return stopwatch_; }
  /// FAKE_PROFILE says.
  std::string profile_kinds() const override;

 private:
  std::string threads_;
  int profiles_ = 0;
  int reference_calls_ = 0;
  int primitives_made_ = 0;
  FakeStopwatch stopwatch_;
};

/// ReLU of the operand.
class FakePrimitive : public Primitive {
 public:
  struct Manners {
    /// False: forgets to clip.
    bool correct = true;
    /// Its time is never twice the same.
    bool noisy = false;
    /// Calls before the one that takes the engine down.
    int calls_left = std::numeric_limits<int>::max();
    /// Calls before the one that forgets to clip, as all later ones do.
    int correct_calls = std::numeric_limits<int>::max();
    /// A call leaves its operand changed.
    bool overwrites_operand = false;
    /// A call is wrong unless restore() was called since the one before.
    bool uses_up = false;
    /// Profiles that the process has taken; null: not asked for.
    int* profiles = nullptr;
  };
  FakePrimitive(std::size_t elements, Manners manners) : output_(elements), manners_(manners) {}
  explicit FakePrimitive(std::size_t elements) : FakePrimitive(elements, Manners{}) {}

  /// The time of a call, as it says when asked now.
  double seconds_per_call();
  /// True the first time it is asked.
  bool is_new() { return std::exchange(new_, false); }

  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override { restored_ = true; }
  void poison_output() override;
  void run() override;
  std::vector<float> download() override { return output_; }
  std::int64_t workspace_bytes() const override { return 64; }
  Facts facts() override;
  Facts profile() override;

 private:
  std::vector<float> input_;
  std::vector<float> output_;
  Manners manners_;
  int asked_ = 0;
  bool new_ = true;
  bool restored_ = false;
};

}  // namespace benanza::harness
