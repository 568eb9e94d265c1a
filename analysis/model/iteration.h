#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

/// The time of an iteration of synchronous data-parallel training:
///   t_iter = t_io + t_h2d + t_f + t_b + t_comm + t_u
/// as tasks of a directed acyclic graph, after S. Shi, Q. Wang, X. Chu, "Performance Modeling and
/// Evaluation of Distributed Deep Learning Frameworks on GPUs" (arXiv:1711.05979), and S. Shi,
/// Q. Wang, X. Chu, B. Li, "A DAG Model of Synchronous Stochastic Gradient Descent in Distributed
/// Deep Learning" (arXiv:1805.03812).
namespace benanza::analysis {

/// A layer of the backward pass. Lists of them are in the order in which the layers run.
struct BackwardLayer {
  double seconds = 0;
  /// Bytes of the gradients that are complete when the layer ends; 0: none.
  double gradient_bytes = 0;
  /// With several workers: seconds to copy these gradients into their message after the layer has
  /// run, and back after the message has arrived. 0: they are sent without a copy.
  double pack = 0;
  double unpack = 0;
};

/// The work of one worker in an iteration, in seconds.
struct WorkerStep {
  /// Reading and preparing the samples.
  double io = 0;
  /// Host-to-device copy of the samples.
  double to_device = 0;
  double forward = 0;
  std::vector<BackwardLayer> backward{};
  double update = 0;

  double backward_seconds() const;
  double gradient_bytes() const;
  /// t_f + t_b + t_u.
  double compute_seconds() const { return forward + backward_seconds() + update; }
};

/// Returns the step with its forward, backward and update times multiplied by `factor`.
WorkerStep scaled(WorkerStep step, double factor);

/// Seconds that all workers take to sum up this many bytes of gradients.
using CommunicationCost = std::function<double(double bytes)>;

/// How gradients are grouped into messages.
struct Buckets {
  /// Layers are added to a message until it has at least this many bytes. 0: one message per layer;
  /// infinity: a single message.
  double bytes = 25.0 * 1024 * 1024;
  /// The same for the first message, unless `bytes` is smaller.
  double first_bytes = 1024.0 * 1024;

  static Buckets layer_by_layer() { return {.bytes = 0, .first_bytes = 0}; }
  static Buckets one();
};

/// The gradients of one or more layers, sent together.
struct Message {
  double bytes = 0;
  /// Index of the backward layer whose end completes it.
  std::size_t ready_after = 0;
  bool operator==(const Message&) const = default;
};

/// Returns the messages of a backward pass, as PyTorch's DistributedDataParallel forms them once it
/// knows the order of the gradients: the layer that brings a message to its size closes it (25 MiB;
/// 1 MiB for the first, so that communication starts early), and the rest is the last message.
/// Layers are not split.
std::vector<Message> messages(const std::vector<BackwardLayer>& backward, const Buckets& buckets);

/// Which activities overlap.
struct Overlap {
  /// The next iteration's samples are read and copied to the device while this one computes.
  bool input = false;
  /// A message is sent as soon as its gradients are complete and the previous message is done
  /// (wait-free back-propagation), not after the backward pass.
  bool communication = false;
  /// Factor by which computation is slower while a message is in flight, at least 1.
  double contention = 1;
};

enum class Activity { io, to_device, forward, backward, communication, update, buffers, unpack };
std::string_view to_string(Activity activity);

/// Costs of running several workers other than computing and summing up gradients, as in PyTorch's
/// DistributedDataParallel (S. Li et al., "PyTorch Distributed: Experiences on Accelerating Data
/// Parallel Training", VLDB 2020; torch/csrc/distributed/c10d/reducer.cpp).
struct Together {
  /// Before the forward pass: broadcasting worker 0's buffers.
  double buffers = 0;
  /// Computation time of the slowest worker relative to this one, at least 1: all wait for it.
  double slowest = 1;
  /// Factor by which a message is slower while the device computes, at least 1.
  double message_slowdown = 1;
  /// Host time of one step; the iteration takes at least as long.
  double host = 0;
};

/// A part of the timeline, in seconds from the start of the iteration. `index` is that of the
/// backward layer or of the message.
struct Segment {
  Activity activity = Activity::forward;
  std::size_t index = 0;
  double begin = 0;
  double end = 0;
  bool operator==(const Segment&) const = default;
};

/// An iteration in the steady state.
struct Iteration {
  /// If the input is overlapped, its segments are those of the next iteration's samples, from 0 on;
  /// otherwise those of this iteration, before everything else.
  std::vector<Segment> timeline{};
  /// From the start of one iteration to the start of the next.
  double seconds = 0;
  /// Sum over all messages.
  double communication_seconds = 0;
  /// Time during which a message was in flight and nothing was computed.
  double exposed_communication_seconds = 0;
  /// Time of Together::buffers; what the slowest worker and the host add to the iteration.
  double buffers_seconds = 0;
  double slowest_seconds = 0;
  double host_seconds = 0;
  /// Copying gradients into messages, and back.
  double pack_seconds = 0;
  double unpack_seconds = 0;
  /// Time that contention adds to the backward pass.
  double contention_seconds = 0;
  /// Time during which the step waited for samples.
  double exposed_input_seconds = 0;
};

/// Models the iteration of each of several workers. `cost` is null for a single worker, which sends
/// nothing. Layers of the backward pass run one after the other, and so do messages; gradients are
/// copied back message by message, after the backward pass; the update waits for all of them.
///   input not overlapped:  t_io + t_h2d + t_step
///   overlapped:            max(t_io + t_h2d, t_step)
///   t_step = buffers + (t_f + t_b + t_u) * slowest + pack + contention + exposed communication
///            + unpack
/// Never less than the host's time.
Iteration iteration(const WorkerStep& step, const std::vector<Message>& messages,
                    const CommunicationCost& cost, const Overlap& overlap,
                    const Together& together = {});

/// The part without which the iteration would be shortest.
enum class Bottleneck { input, computation, communication };
std::string_view to_string(Bottleneck bottleneck);
Bottleneck bottleneck(const WorkerStep& step, const std::vector<Message>& messages,
                      const CommunicationCost& cost, const Overlap& overlap,
                      const Together& together = {});

/// Samples per second of `workers` workers, each with as many samples as a single worker, relative
/// to that single worker: workers * alone / together.
double speed_up(std::size_t workers, double alone_seconds, double together_seconds);
/// speed_up / workers.
double efficiency(double alone_seconds, double together_seconds);

/// The cost of a parameter server that runs beside one of the workers: every other worker sends its
/// gradients over the server's one link and gets the weights back, which makes 2 * (workers - 1)
/// transfers, one after the other. `transfer` is the cost of one, from one device to another.
CommunicationCost parameter_server(std::size_t workers, CommunicationCost transfer);

}  // namespace benanza::analysis
