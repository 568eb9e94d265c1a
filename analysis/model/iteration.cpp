#include "analysis/model/iteration.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace benanza::analysis {
namespace {

/// The two engines of a worker: one computes layer by layer, the other sends message by message.
class Engines {
 public:
  Engines(const std::vector<BackwardLayer>& layers, const std::vector<Message>& messages,
          const CommunicationCost& cost, double contention, double message_slowdown)
      : layers_(layers),
        messages_(messages),
        cost_(cost),
        contention_(contention),
        message_slowdown_(message_slowdown) {}

  /// Runs the backward pass from `begin` on. If `early`, sends meanwhile; the rest afterwards.
  void run(double begin, bool early, std::vector<Segment>& timeline) {
    now_ = begin;
    for (done_layers_ = 0; done_layers_ < layers_.size(); ++done_layers_) {
      const BackwardLayer& layer = layers_[done_layers_];
      const double layer_begin = now_;
      if (early) start_message();
      compute(layer.seconds + (messages_.empty() ? 0 : layer.pack), timeline);
      timeline.push_back({Activity::backward, done_layers_, layer_begin, now_});
    }
    end_of_compute_ = now_;
    unpack(timeline);
  }

  double end() const { return now_; }
  double end_of_compute() const { return end_of_compute_; }
  /// Seconds spent waiting for messages after the last computation.
  double waited() const { return waited_; }

 private:
  /// A message in flight. `left` is its remaining time if nothing is computed meanwhile.
  struct Travelling {
    double begin = 0;
    double left = 0;
  };

  /// `work` is in seconds without contention.
  void compute(double work, std::vector<Segment>& timeline) {
    while (sending_ && sending_->left * message_slowdown_ <= work * contention_) {
      const double elapsed = sending_->left * message_slowdown_;
      work = std::max(0.0, work - elapsed / contention_);
      now_ += elapsed;
      end_message(now_, timeline);
      start_message();
    }
    if (sending_) {
      work *= contention_;
      sending_->left -= work / message_slowdown_;
    }
    now_ += work;
  }

  /// Starts the next message if it is complete and none is in flight.
  void start_message() {
    if (sending_ || sent_ == messages_.size()) return;
    const Message& message = messages_[sent_];
    if (message.ready_after >= done_layers_) return;
    sending_ = {now_, cost_(message.bytes)};
  }

  void end_message(double end, std::vector<Segment>& timeline) {
    timeline.push_back({Activity::communication, sent_, sending_->begin, end});
    ++sent_;
    sending_.reset();
  }

  /// Copies gradients back in message order while the link sends the remaining messages.
  void unpack(std::vector<Segment>& timeline) {
    double link = now_;
    std::size_t layer = 0;
    for (std::size_t message = 0; message < messages_.size(); ++message) {
      if (message == sent_) {
        if (!sending_) sending_ = {link, cost_(messages_[message].bytes)};
        link += sending_->left;
        end_message(link, timeline);
        waited_ += std::max(0.0, link - now_);
        now_ = std::max(now_, link);
      }
      double seconds = 0;
      for (; layer <= messages_[message].ready_after; ++layer) seconds += layers_[layer].unpack;
      if (seconds > 0) timeline.push_back({Activity::unpack, message, now_, now_ + seconds});
      now_ += seconds;
    }
  }

  const std::vector<BackwardLayer>& layers_;
  const std::vector<Message>& messages_;
  const CommunicationCost& cost_;
  double contention_;
  double message_slowdown_;
  double now_ = 0;
  double end_of_compute_ = 0;
  double waited_ = 0;
  std::size_t done_layers_ = 0;
  std::size_t sent_ = 0;
  std::optional<Travelling> sending_;
};

double sum_of(const std::vector<BackwardLayer>& layers, double BackwardLayer::*member) {
  return std::accumulate(
      layers.begin(), layers.end(), 0.0,
      [member](double sum, const BackwardLayer& one) { return sum + one.*member; });
}

WorkerStep without_input(WorkerStep step) {
  step.io = step.to_device = 0;
  return step;
}

}  // namespace

double WorkerStep::backward_seconds() const { return sum_of(backward, &BackwardLayer::seconds); }

double WorkerStep::gradient_bytes() const {
  return sum_of(backward, &BackwardLayer::gradient_bytes);
}

WorkerStep scaled(WorkerStep step, double factor) {
  step.forward *= factor;
  step.update *= factor;
  for (BackwardLayer& layer : step.backward) layer.seconds *= factor;
  return step;
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
  constexpr std::string_view names[] = {
      "io", "to_device", "forward", "backward", "communication", "update", "buffers", "unpack"};
  return names[static_cast<std::size_t>(activity)];
}

Iteration iteration(const WorkerStep& worker, const std::vector<Message>& messages,
                    const CommunicationCost& cost, const Overlap& overlap,
                    const Together& several) {
  if (!(overlap.contention >= 1)) throw std::invalid_argument("contention is below 1");
  if (!(several.slowest >= 1)) throw std::invalid_argument("the slowest worker is faster");
  if (!(several.message_slowdown >= 1)) throw std::invalid_argument("message slow-down is below 1");
  static const std::vector<Message> nothing;
  const std::vector<Message>& sent = cost ? messages : nothing;
  const Together together = cost ? several : Together{};
  const WorkerStep step = scaled(worker, together.slowest);
  Iteration result;
  const double input = step.io + step.to_device;
  result.timeline = {{Activity::io, 0, 0, step.io}, {Activity::to_device, 0, step.io, input}};
  double now = overlap.input ? 0 : input;
  if (together.buffers > 0) {
    result.timeline.push_back({Activity::buffers, 0, now, now + together.buffers});
    now += together.buffers;
  }
  const double forward_end = now + step.forward;
  result.timeline.push_back({Activity::forward, 0, now, forward_end});

  Engines engines(step.backward, sent, cost, overlap.contention, together.message_slowdown);
  engines.run(forward_end, overlap.communication, result.timeline);
  for (const Segment& segment : result.timeline) {
    if (segment.activity == Activity::communication) {
      result.communication_seconds += segment.end - segment.begin;
    }
  }
  if (!sent.empty()) {
    result.pack_seconds = sum_of(step.backward, &BackwardLayer::pack);
    result.unpack_seconds = sum_of(step.backward, &BackwardLayer::unpack);
  }
  result.buffers_seconds = together.buffers;
  result.slowest_seconds = step.compute_seconds() - worker.compute_seconds();
  result.exposed_communication_seconds = engines.waited();
  result.contention_seconds = std::max(
      0.0, engines.end_of_compute() - forward_end - step.backward_seconds() - result.pack_seconds);
  const double end = engines.end() + step.update;
  result.timeline.push_back({Activity::update, 0, engines.end(), end});
  const double without_host = overlap.input ? std::max(input, end) : end;
  result.seconds = std::max(without_host, together.host);
  result.host_seconds = result.seconds - without_host;
  result.exposed_input_seconds = overlap.input ? std::max(0.0, input - end) : input;
  return result;
}

std::string_view to_string(Bottleneck bottleneck) {
  constexpr std::string_view names[] = {"input", "computation", "communication"};
  return names[static_cast<std::size_t>(bottleneck)];
}

Bottleneck bottleneck(const WorkerStep& step, const std::vector<Message>& messages,
                      const CommunicationCost& cost, const Overlap& overlap,
                      const Together& together) {
  const auto seconds = [&](const WorkerStep& worker) {
    return iteration(worker, messages, cost, overlap, together).seconds;
  };
  const double no_input = seconds(without_input(step));
  const double no_compute = seconds(scaled(step, 0));
  const double no_messages = iteration(step, {}, nullptr, overlap).seconds;
  const double least = std::min({no_input, no_compute, no_messages});
  // If the input is the bottleneck, removing anything else gains nothing. Ties go to computation.
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
