#include "analysis/model/iteration.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace benanza::analysis {
namespace {

/// The two engines of a worker: one computes layer after layer, one sends message after message.
class Engines {
 public:
  Engines(const std::vector<BackwardLayer>& layers, const std::vector<Message>& messages,
          const CommunicationCost& cost, double contention)
      : layers_(layers), messages_(messages), cost_(cost), contention_(contention) {}

  /// From `begin` on: computes everything and, if `early`, sends meanwhile; the rest afterwards.
  void run(double begin, bool early, std::vector<Segment>& timeline) {
    now_ = begin;
    for (done_layers_ = 0; done_layers_ < layers_.size(); ++done_layers_) {
      const double layer_begin = now_;
      double work = layers_[done_layers_].seconds;
      if (early) start_message();
      while (sending_ && sending_->end < now_ + work * contention_) {
        work -= (sending_->end - now_) / contention_;
        end_message(timeline);
        start_message();
      }
      now_ += sending_ ? work * contention_ : work;
      timeline.push_back({Activity::backward, done_layers_, layer_begin, now_});
      if (sending_ && sending_->end <= now_) end_message(timeline);
    }
    end_of_compute_ = now_;
    for (start_message(); sending_; start_message()) end_message(timeline);
  }

  double end() const { return now_; }
  double end_of_compute() const { return end_of_compute_; }

 private:
  /// The next one, if it is complete and nothing travels.
  void start_message() {
    if (sending_ || sent_ == messages_.size()) return;
    const Message& message = messages_[sent_];
    if (message.ready_after >= done_layers_) return;
    sending_ = {Activity::communication, sent_, now_, now_ + cost_(message.bytes)};
  }

  void end_message(std::vector<Segment>& timeline) {
    now_ = sending_->end;
    timeline.push_back(*sending_);
    ++sent_;
    sending_.reset();
  }

  const std::vector<BackwardLayer>& layers_;
  const std::vector<Message>& messages_;
  const CommunicationCost& cost_;
  double contention_;
  double now_ = 0;
  double end_of_compute_ = 0;
  std::size_t done_layers_ = 0;
  std::size_t sent_ = 0;
  std::optional<Segment> sending_;
};

WorkerStep without_input(WorkerStep step) {
  step.io = step.to_device = 0;
  return step;
}

WorkerStep without_computation(WorkerStep step) {
  step.forward = step.update = 0;
  for (BackwardLayer& layer : step.backward) layer.seconds = 0;
  return step;
}

}  // namespace

double WorkerStep::backward_seconds() const {
  return std::accumulate(backward.begin(), backward.end(), 0.0,
                         [](double sum, const BackwardLayer& one) { return sum + one.seconds; });
}

double WorkerStep::gradient_bytes() const {
  return std::accumulate(
      backward.begin(), backward.end(), 0.0,
      [](double sum, const BackwardLayer& one) { return sum + one.gradient_bytes; });
}

Buckets Buckets::one() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return {.bytes = infinite, .first_bytes = infinite};
}

std::vector<Message> messages(const std::vector<BackwardLayer>& backward, const Buckets& buckets) {
  std::vector<Message> all;
  Message open;
  double limit = std::min(buckets.first_bytes, buckets.bytes);
  for (std::size_t layer = 0; layer < backward.size(); ++layer) {
    if (!(backward[layer].gradient_bytes > 0)) continue;
    open.bytes += backward[layer].gradient_bytes;
    open.ready_after = layer;
    if (open.bytes < limit) continue;
    all.push_back(std::exchange(open, {}));
    limit = buckets.bytes;
  }
  if (open.bytes > 0) all.push_back(open);
  return all;
}

std::string_view to_string(Activity activity) {
  switch (activity) {
    case Activity::io:
      return "io";
    case Activity::to_device:
      return "to_device";
    case Activity::forward:
      return "forward";
    case Activity::backward:
      return "backward";
    case Activity::communication:
      return "communication";
    case Activity::update:
      return "update";
  }
  throw std::logic_error("unknown activity");
}

Iteration iteration(const WorkerStep& step, const std::vector<Message>& messages,
                    const CommunicationCost& cost, const Overlap& overlap) {
  if (!(overlap.contention >= 1)) throw std::invalid_argument("contention is below 1");
  static const std::vector<Message> nothing;
  Iteration result;
  const double input = step.io + step.to_device;
  result.timeline = {{Activity::io, 0, 0, step.io}, {Activity::to_device, 0, step.io, input}};
  const double begin = overlap.input ? 0 : input;
  const double forward_end = begin + step.forward;
  result.timeline.push_back({Activity::forward, 0, begin, forward_end});

  Engines engines(step.backward, cost ? messages : nothing, cost, overlap.contention);
  engines.run(forward_end, overlap.communication, result.timeline);
  for (const Segment& segment : result.timeline) {
    if (segment.activity == Activity::communication) {
      result.communication_seconds += segment.end - segment.begin;
    }
  }
  result.exposed_communication_seconds = engines.end() - engines.end_of_compute();
  result.contention_seconds =
      std::max(0.0, engines.end_of_compute() - forward_end - step.backward_seconds());
  const double end = engines.end() + step.update;
  result.timeline.push_back({Activity::update, 0, engines.end(), end});
  result.seconds = overlap.input ? std::max(input, end) : end;
  result.exposed_input_seconds = overlap.input ? std::max(0.0, input - end) : input;
  return result;
}

std::string_view to_string(Bottleneck bottleneck) {
  switch (bottleneck) {
    case Bottleneck::input:
      return "input";
    case Bottleneck::computation:
      return "computation";
    case Bottleneck::communication:
      return "communication";
  }
  throw std::logic_error("unknown bottleneck");
}

Bottleneck bottleneck(const WorkerStep& step, const std::vector<Message>& messages,
                      const CommunicationCost& cost, const Overlap& overlap) {
  const double no_input = iteration(without_input(step), messages, cost, overlap).seconds;
  const double no_compute = iteration(without_computation(step), messages, cost, overlap).seconds;
  const double no_messages = iteration(step, {}, nullptr, overlap).seconds;
  const double least = std::min({no_input, no_compute, no_messages});
  // Where the input holds everything up, all but that gain nothing; ties go to what can be bought.
  if (no_compute == least) return Bottleneck::computation;
  return no_messages == least ? Bottleneck::communication : Bottleneck::input;
}

double speed_up(std::size_t workers, double alone_seconds, double together_seconds) {
  return static_cast<double>(workers) * efficiency(alone_seconds, together_seconds);
}

double efficiency(double alone_seconds, double together_seconds) {
  return alone_seconds / together_seconds;
}

CommunicationCost parameter_server(std::size_t workers, CommunicationCost transfer) {
  const double transfers = 2 * static_cast<double>(workers - 1);
  return [transfers, transfer = std::move(transfer)](double bytes) {
    return transfers * transfer(bytes);
  };
}

}  // namespace benanza::analysis
