#pragma once

#include <chrono>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"
#include "suites/harness/registration.h"

namespace benanza::harness {

/// How to delay a run: a point at which it waits for a test, and a pause.
struct Hold {
  /// Number of primitives to time before the run waits for `gate` to exist.
  int primitives = std::numeric_limits<int>::max();
  /// "`gate`.reached" is written when the run starts to wait.
  std::string gate = "";
  /// Time that every time() sleeps.
  std::chrono::milliseconds pause{0};
};

/// Returns made-up times instead of reading a clock; runs the primitive once all the same.
class FakeStopwatch : public Stopwatch {
 public:
  explicit FakeStopwatch(Hold hold) : hold_(std::move(hold)) {}

  static constexpr double sequence_seconds = 400e-6;
  /// Asks a FakePrimitive: 100 us per call, what a step says, or noise between 200 and 300 us. Of a
  /// sequence: sequence_seconds.
  double time(Primitive& primitive, std::int64_t calls) override;
  /// 250 us.
  double time_cold(Primitive& primitive) override;
  /// The value of FAKE_CACHE_BYTES, 0 if not set.
  std::int64_t cache_bytes() const override;
  /// The sum of what time() returned.
  double total_seconds() const { return total_seconds_; }

 private:
  Hold hold_;
  int primitives_ = 0;
  double total_seconds_ = 0;
};

/// 50 W while the stopwatch's calls run; with FAKE_ENERGY=stuck, it never advances.
class FakeMeter : public EnergyMeter {
 public:
  explicit FakeMeter(const FakeStopwatch& stopwatch) : stopwatch_(stopwatch) {}
  std::optional<double> joules() override;
  double update_seconds() const override { return 0; }
  std::string_view source() const override { return "fake"; }

 private:
  const FakeStopwatch& stopwatch_;
};

/// A library with every kind of behaviour:
///   relu     direct, strided (slow and noisy), and ref as a reference implementation, which fails
///            from its third creation on; layouts nchw and nhwc, where relu/3x8 takes twice as long
///   tanh     wrong (computes something else), refused (when made), throws, memory (runs out of it)
///   sigmoid  no algorithm: unsupported
///   clip     lost (loses the engine)
///   gelu     segfault, abort (crash the program)
///   mish     hangs (waits for longer than its deadline)
///   leakyrelu  direct, and lost-later (loses the engine in its third call); as a reference
///            implementation, wears-out (wrong from its sixth call on); also computes a ReLU
///   linear   loses the engine while listing its algorithms
///   softmax  no such operator, hence no row
///   any      wears-out, overwrites (its operand), uses-up (what restore() recreates)
///   elu      fails while listing its algorithms
/// A search finds further algorithms of relu: wrong, refused, and step.150 and step.900, where
/// step.N takes N us and is near steps of 30 us more and less, down to 60 us; and of leakyrelu
/// step.50.wears-out, which is wrong when it has been timed.
/// Company during the first FAKE_COMPANY measurements.
class FakeObserver : public Observer {
 public:
  void begin() override {}
  Conditions end() override;

 private:
  int measurements_ = 0;
};

class FakeBackend : public Backend {
 public:
  /// `threads`: the value in system().
  explicit FakeBackend(std::string threads, Hold hold = {})
      : threads_(std::move(threads)), stopwatch_(std::move(hold)) {}

  std::string_view name() const override { return "fake"; }
  std::vector<std::string> devices() const override { return {"0: fake"}; }
  std::vector<BackendFlag> flags() const override { return {{"--mood", "MOOD", "of the library"}}; }
  std::vector<LibraryVersion> libraries() const override { return {{"libfake", "1.2.3"}}; }
  System system() override { return {{"device", "fake \"0\""}, {"threads", threads_}}; }
  /// The number of primitives created, and of calls of move_operands().
  std::vector<std::pair<std::string, std::string>> context() override {
    return {{"primitives_made", std::to_string(primitives_made_)},
            {"operands_moved", std::to_string(operands_moved_)},
            {"anchor_fake_seconds", "0.5"}};
  }
  void move_operands() override { ++operands_moved_; }
  std::vector<Layout> layouts(const Problem& problem) const override;
  std::vector<Way> ways(const Variant& prototype, AlgorithmSet set) override;
  Way way(const Variant& variant) override;
  Allocator& allocator() override { return allocator_; }
  /// FAKE_LATE calls say that "direct" is not ready.
  bool is_ready(const Variant& variant) override;
  Stopwatch& stopwatch() override { return stopwatch_; }
  /// Null unless FAKE_ENERGY is set.
  EnergyMeter* energy_meter() override;
  /// Null unless FAKE_COMPANY is set.
  Observer* observer() override;
  /// The value of FAKE_PROFILE.
  std::string profile_kinds() const override;

 private:
  std::unique_ptr<Primitive> make(const Variant& variant, Operands& operands);

  HostAllocator allocator_;
  std::string threads_;
  int profiles_ = 0;
  int reference_calls_ = 0;
  int primitives_made_ = 0;
  int operands_moved_ = 0;
  int late_calls_ = 0;
  FakeStopwatch stopwatch_;
  FakeMeter meter_{stopwatch_};
  FakeObserver observer_;
};

/// ReLU of the operand, or the larger one of two operands.
class FakePrimitive : public Primitive {
 public:
  struct Manners {
    /// If false, it does not clip.
    bool correct = true;
    /// Its times vary.
    bool noisy = false;
    /// Number of calls before the one that loses the engine.
    int calls_left = std::numeric_limits<int>::max();
    /// Number of calls before the first that does not clip; later ones do not clip either.
    int correct_calls = std::numeric_limits<int>::max();
    /// A call modifies its operand.
    bool overwrites_operand = false;
    /// A call is wrong unless restore() was called since the previous one.
    bool uses_up = false;
    /// Of a call that is not noisy.
    double seconds = 100e-6;
    /// Counts the profiles taken by the process; null if none are requested.
    int* profiles = nullptr;
  };
  /// Of as many elements as each has, where the caller wants them. `least`: the second operand, or
  /// empty.
  FakePrimitive(std::span<float> input, std::span<float> least, std::span<float> output,
                Manners manners)
      : input_(input), least_(least), output_(output), manners_(manners) {}
  /// In memory of its own.
  FakePrimitive(std::size_t elements, Manners manners)
      : own_(2 * elements),
        input_(std::span(own_).first(elements)),
        output_(std::span(own_).last(elements)),
        manners_(manners) {}
  explicit FakePrimitive(std::size_t elements) : FakePrimitive(elements, Manners{}) {}

  /// The time of a call; may differ each time.
  double seconds_per_call();
  /// Returns true in the first call only.
  bool is_new() { return std::exchange(new_, false); }

  void upload(std::size_t index, std::span<const float> values) override;
  void restore() override { restored_ = true; }
  void poison_output() override;
  void run() override;
  std::vector<float> download() override { return {output_.begin(), output_.end()}; }
  std::int64_t workspace_bytes() const override { return 64; }
  Facts facts() override;
  Facts profile() override;

 private:
  std::vector<float> own_;
  std::span<float> input_;
  std::span<float> least_;
  std::span<float> output_;
  Manners manners_;
  int asked_ = 0;
  bool new_ = true;
  bool restored_ = false;
};

}  // namespace benanza::harness
