// The closed form of an iteration against a simulation of its two engines, event by event.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "analysis/model/iteration.h"

namespace benanza::analysis {
namespace {

/// What a simulation sees of one step.
struct Simulated {
  double computed = 0;
  double end = 0;
  double sending = 0;
  double waited = 0;
};

/// Two engines: one computes the layers and then copies gradients back, the other sends one message
/// after the other. Each has a rest of work in seconds alone; both are slower side by side.
class Simulation {
 public:
  Simulation(const WorkerStep& step, const std::vector<Message>& messages,
             const CommunicationCost& cost, const Overlap& overlap, const Together& together)
      : step_(step), messages_(messages), cost_(cost), overlap_(overlap), together_(together) {}

  Simulated run(double begin) {
    now_ = begin;
    arrived_.assign(messages_.size(), std::numeric_limits<double>::infinity());
    for (layers_ = 0; layers_ < step_.backward.size(); ++layers_) {
      const BackwardLayer& layer = step_.backward[layers_];
      double work = layer.seconds + (messages_.empty() ? 0 : layer.pack);
      while (work > 0) work = advance(work);
    }
    seen_.computed = now_ - begin;
    for (std::size_t message = 0, layer = 0; message < messages_.size(); ++message) {
      while (arrived_[message] > now_) wait();
      double unpack = 0;
      for (; layer <= messages_[message].ready_after; ++layer) {
        unpack += step_.backward[layer].unpack;
      }
      copy(unpack);
    }
    seen_.end = now_;
    return seen_;
  }

 private:
  void start() {
    if (is_sending_ || next_ == messages_.size()) return;
    const bool is_early = layers_ < step_.backward.size();
    if (is_early && (!overlap_.communication || messages_[next_].ready_after >= layers_)) return;
    is_sending_ = true;
    began_ = now_;
    left_ = cost_(messages_[next_].bytes);
  }
  void arrive() {
    seen_.sending += now_ - began_;
    arrived_[next_++] = now_;
    is_sending_ = false;
  }

  /// Computes until the work or the message in flight ends. Returns what is left of `work`.
  double advance(double work) {
    start();
    if (!is_sending_) {
      now_ += work;
      return 0;
    }
    const double to_work = work * overlap_.contention;
    const double to_arrive = left_ * together_.message_slowdown;
    const double elapsed = std::min(to_work, to_arrive);
    now_ += elapsed;
    left_ -= elapsed / together_.message_slowdown;
    if (to_arrive <= to_work) arrive();
    return to_work <= to_arrive ? 0 : work - elapsed / overlap_.contention;
  }

  /// Sends until a message arrives, with nothing to compute.
  void wait() {
    start();
    seen_.waited += left_;
    now_ += left_;
    arrive();
  }

  /// Copies for `seconds`, while messages arrive at their full speed.
  void copy(double seconds) {
    while (true) {
      start();
      if (!is_sending_ || left_ > seconds) break;
      seconds -= left_;
      now_ += left_;
      arrive();
    }
    now_ += seconds;
    if (is_sending_) left_ -= seconds;
  }

  const WorkerStep& step_;
  const std::vector<Message>& messages_;
  const CommunicationCost& cost_;
  const Overlap& overlap_;
  const Together& together_;
  Simulated seen_;
  double now_ = 0;
  std::size_t layers_ = 0;
  std::size_t next_ = 0;
  bool is_sending_ = false;
  double began_ = 0;
  double left_ = 0;
  std::vector<double> arrived_;
};

/// The time from one iteration to the next, when many have run.
double period(double input, double step, const Overlap& overlap, double host) {
  double start = 0;
  double last = 0;
  for (int turn = 0; turn < 8; ++turn) {
    last = start;
    // The next samples are fetched from the start of this step on, or after it.
    const double end = start + step;
    start = std::max(overlap.input ? std::max(end, start + input) : end + input, start + host);
  }
  return start - last;
}

TEST(Iteration, IsWhatASimulationOfItSees) {
  std::mt19937 random(3);
  const auto upto = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  };
  const auto one_in = [&](unsigned count) { return random() % count == 0; };
  for (int turn = 0; turn < 20000; ++turn) {
    WorkerStep step{
        .io = upto(6), .to_device = upto(2), .forward = upto(5), .backward = {}, .update = upto(2)};
    for (std::size_t layer = 1 + random() % 7; layer > 0; --layer) {
      step.backward.push_back({.seconds = one_in(6) ? 0 : upto(3),
                               .gradient_bytes = one_in(3) ? 0 : upto(4),
                               .pack = one_in(2) ? 0 : upto(0.5),
                               .unpack = one_in(2) ? 0 : upto(2)});
    }
    const std::vector<Message> sent =
        messages(step.backward, {.bytes = upto(8), .first_bytes = upto(3)});
    const double start = upto(1);
    const CommunicationCost cost = [=](double bytes) { return start + bytes; };
    const Overlap overlap{
        .input = one_in(2), .communication = !one_in(4), .contention = one_in(3) ? 1 : 1 + upto(2)};
    const Together together{.buffers = upto(1),
                            .slowest = 1 + upto(0.5),
                            .message_slowdown = one_in(3) ? 1 : 1 + upto(2),
                            .host = upto(30)};
    const Iteration result = iteration(step, sent, cost, overlap, together);

    const WorkerStep slowest = scaled(step, together.slowest);
    const double input = step.io + step.to_device;
    const double begin = together.buffers + slowest.forward;
    const Simulated seen = Simulation(slowest, sent, cost, overlap, together).run(begin);
    const double length = seen.end + slowest.update;
    constexpr double rounding = 1e-9;
    EXPECT_NEAR(result.seconds, period(input, length, overlap, together.host), rounding) << turn;
    EXPECT_NEAR(result.communication_seconds, seen.sending, rounding) << turn;
    EXPECT_NEAR(result.exposed_communication_seconds, seen.waited, rounding) << turn;
    const double work = slowest.backward_seconds() + result.pack_seconds;
    EXPECT_NEAR(result.contention_seconds, std::max(0.0, seen.computed - work), rounding) << turn;
    EXPECT_NEAR(result.exposed_input_seconds, overlap.input ? std::max(0.0, input - length) : input,
                rounding)
        << turn;
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace benanza::analysis
