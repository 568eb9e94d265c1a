#include "suites/harness/conditions/anchors.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace benanza::harness {
namespace {

/// A millisecond at 4 GHz: four cycles for each step.
constexpr int steps_of_chain = 1 << 20;
/// More than the caches of most processors hold; always the same.
constexpr std::size_t copied_bytes = std::size_t{1} << 25;

template <class Action>
double seconds_of(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The linear congruential generator of D. Knuth, MMIX.
double time_chain(std::uint64_t& state) {
  const double seconds = seconds_of([&] {
    std::uint64_t value = state;
    for (int step = 0; step < steps_of_chain; ++step) {
      value = value * 6364136223846793005U + 1442695040888963407U;
    }
    state = value;
  });
  return seconds;
}

/// Two buffers of which one is copied into the other.
class Copy {
 public:
  double time() {
    if (!from_) {
      from_ = std::make_unique<unsigned char[]>(copied_bytes);
      to_ = std::make_unique<unsigned char[]>(copied_bytes);
    }
    ++from_[0];
    const double seconds =
        seconds_of([this] { std::memcpy(to_.get(), from_.get(), copied_bytes); });
    if (to_[0] != from_[0]) throw std::logic_error("memory does not hold what was written");
    return seconds;
  }

 private:
  std::unique_ptr<unsigned char[]> from_;
  std::unique_ptr<unsigned char[]> to_;
};

std::string scientific(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return text.data();
}

std::string joined(const std::vector<double>& samples) {
  std::string text;
  for (const double seconds : samples) text += (text.empty() ? "" : " ") + scientific(seconds);
  return text;
}

void drop_every_other(std::vector<double>& samples) {
  std::size_t index = 0;
  std::erase_if(samples, [&](double) { return index++ % 2 != 0; });
}

}  // namespace

Anchors::Anchors(std::vector<Anchor> anchors, Pace::Now now) : pace_(std::move(now)) {
  for (Anchor& anchor : anchors) all_.push_back({.anchor = std::move(anchor)});
}

void Anchors::sample_if_due() {
  pace_.ask([this]() -> std::optional<bool> {
    sample();
    return true;
  });
}

void Anchors::sample() {
  const bool kept = count_++ % stride_ == 0;
  if (!kept) return;
  std::size_t most = 0;
  for (Samples& samples : all_) {
    try {
      double least = std::numeric_limits<double>::infinity();
      for (int run = 0; run < runs_per_sample; ++run) {
        least = std::min(least, samples.anchor.time());
      }
      samples.seconds.push_back(least);
    } catch (const std::bad_alloc&) {
      // Memory is short: fewer samples.
    }
    most = std::max(most, samples.seconds.size());
  }
  if (most < most_samples) return;
  for (Samples& samples : all_) drop_every_other(samples.seconds);
  stride_ *= 2;
}

void Anchors::sample_block() {
  for (int sample = 0; sample < samples_per_block; ++sample) this->sample();
}

std::vector<std::pair<std::string, std::string>> Anchors::context_entries() const {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Samples& samples : all_) {
    const std::string text = joined(samples.seconds);
    if (!text.empty()) entries.emplace_back("anchor_" + samples.anchor.name + "_seconds", text);
  }
  return entries;
}

std::string with_earlier_samples(const std::vector<double>& earlier, const std::string& own) {
  std::vector<double> samples = earlier;
  std::istringstream text(own);
  for (double seconds = 0; text >> seconds;) samples.push_back(seconds);
  while (samples.size() > Anchors::most_samples) drop_every_other(samples);
  return joined(samples);
}

std::vector<Anchors::Anchor> host_anchors() {
  const auto state = std::make_shared<std::uint64_t>(1);
  const auto copy = std::make_shared<Copy>();
  return {{.name = "arithmetic", .time = [state] { return time_chain(*state); }},
          {.name = "copy", .time = [copy] { return copy->time(); }}};
}

}  // namespace benanza::harness
