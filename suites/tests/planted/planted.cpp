#include "suites/tests/planted/planted.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "core/problem/name.h"

namespace benanza::harness {
namespace {

/// A slowed-down primitive. The length of a required delay is determined after the first run, when
/// the result is read and before the primitive is timed.
class PlantedPrimitive : public Primitive {
 public:
  PlantedPrimitive(std::unique_ptr<Primitive> call, double factor, Stopwatch& stopwatch,
                   const Delay& delay, const Forget& forget)
      : call_(std::move(call)),
        factor_(factor),
        stopwatch_(stopwatch),
        delay_(delay),
        forget_(forget) {}
  ~PlantedPrimitive() override { forget_(*this); }

  void upload(std::size_t index, std::span<const float> values) override {
    call_->upload(index, values);
  }
  void restore() override { call_->restore(); }
  void poison_output() override { call_->poison_output(); }
  void run() override {
    const Clock::time_point start = Clock::now();
    call_->run();
    if (!delay_) {
      const auto end = start + factor_ * (Clock::now() - start);
      while (Clock::now() < end) {
      }
    } else if (delay_seconds_ > 0) {
      delay_(delay_seconds_);
    }
  }
  std::vector<float> download() override {
    std::vector<float> result = call_->download();
    if (delay_ && delay_seconds_ == 0) set_delay();
    return result;
  }
  std::int64_t workspace_bytes() const override { return call_->workspace_bytes(); }
  Facts facts() override { return {{"planted", delay_ ? planted_ : factor_}}; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Many short rounds, so that some are undisturbed on a busy machine.
  static constexpr int most_calls = 50;
  static constexpr double round_seconds = 1e-3;
  static constexpr int rounds = 10;

  double seconds(Primitive& primitive) {
    const double one = stopwatch_.time(primitive, 1);
    const auto calls = std::clamp<std::int64_t>(std::llround(round_seconds / one), 1, most_calls);
    double least = one;
    for (int round = 0; round < rounds; ++round) {
      least = std::min(least, stopwatch_.time(primitive, calls) / static_cast<double>(calls));
    }
    return least;
  }

  /// Starting the delay takes time itself, so its length is determined in two steps.
  void set_delay() {
    const double alone = seconds(*call_);
    const double wanted = alone * (factor_ - 1);
    delay_seconds_ = wanted;
    const double more = seconds(*this) - alone;
    delay_seconds_ = std::max(1e-9, 2 * wanted - more);
    forget_(*this);
    planted_ = seconds(*this) / alone;
    forget_(*this);
  }

  std::unique_ptr<Primitive> call_;
  double factor_;
  Stopwatch& stopwatch_;
  const Delay& delay_;
  const Forget& forget_;
  double delay_seconds_ = 0;
  double planted_ = 1;
};

/// FNV-1a: gives the same hash in every process.
unsigned hash(std::string_view text) {
  unsigned value = 2166136261U;
  for (const char letter : text) value = (value ^ static_cast<unsigned char>(letter)) * 16777619U;
  return value;
}

}  // namespace

Plant Plant::from_environment() {
  Plant plant;
  if (const char* factor = std::getenv("BENANZA_PLANT_FACTOR")) plant.factor = std::atof(factor);
  if (const char* share = std::getenv("BENANZA_PLANT_ONE_IN")) {
    plant.one_in = static_cast<unsigned>(std::max(1, std::atoi(share)));
  }
  return plant;
}

bool Plant::picks(const Variant& variant) const {
  const VariantName name{.key = benanza::key(variant.problem),
                         .precision = variant.precision,
                         .layout = variant.layout,
                         .backend = "any",
                         .algorithm = variant.algorithm};
  return hash(to_string(name)) / 7 % one_in == 0;
}

Way PlantedBackend::way(const Variant& variant) {
  Way way = library_->way(variant);
  if (!plant_.picks(variant)) return way;
  way.make = [this, make = std::move(way.make)](Operands& operands) {
    return std::make_unique<PlantedPrimitive>(make(operands), plant_.factor, library_->stopwatch(),
                                              delay_, forget_);
  };
  return way;
}

}  // namespace benanza::harness
