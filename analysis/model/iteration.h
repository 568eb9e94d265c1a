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

/// A layer of the backward pass, in the order in which layers run.
struct BackwardLayer {
  double seconds = 0;
  /// Of the gradients that are complete when the layer ends; 0: none.
  double gradient_bytes = 0;
  /// Of several workers: copying these gradients into their message when the layer has run, and
  /// back when the message has arrived. 0: they are sent from where they are.
  double pack = 0;
  double unpack = 0;
};

/// What one worker does in an iteration, in seconds.
struct WorkerStep {
  /// Reading and preparing the samples.
  double io = 0;
  /// Their way to the device.
  double to_device = 0;
  double forward = 0;
  std::vector<BackwardLayer> backward{};
  double update = 0;

  double backward_seconds() const;
  double gradient_bytes() const;
  /// t_f + t_b + t_u.
  double compute_seconds() const { return forward + backward_seconds() + update; }
};

/// The same step, all of its computation `factor` times as long.
WorkerStep scaled(WorkerStep step, double factor);

/// Seconds that all workers take to add up so many bytes of gradients.
using CommunicationCost = std::function<double(double bytes)>;

/// How gradients are put into messages.
struct Buckets {
  /// Layers are added to a message until it has so many bytes at least. 0: a message for each
  /// layer; infinity: one message.
  double bytes = 25.0 * 1024 * 1024;
  /// The same of the first message, where `bytes` is not less.
  double first_bytes = 1024.0 * 1024;

  static Buckets layer_by_layer() { return {.bytes = 0, .first_bytes = 0}; }
  static Buckets one();
};

/// Some layers' gradients, sent together.
struct Message {
  double bytes = 0;
  /// Index of the backward layer at whose end it is complete.
  std::size_t ready_after = 0;
  bool operator==(const Message&) const = default;
};

/// The messages of a backward pass. As PyTorch's DistributedDataParallel does it once it knows the
/// order of the gradients: a message is closed by the layer that brings it to its size (25 MiB, the
/// first 1 MiB: gradients start to travel early), and what is left is the last. Layers are not
/// split.
std::vector<Message> messages(const std::vector<BackwardLayer>& backward, const Buckets& buckets);

/// What runs at the same time.
struct Overlap {
  /// The next iteration's samples are read and sent to the device while this one computes.
  bool input = false;
  /// A message is sent as soon as its gradients are complete and the message before it is done
  /// (wait-free back-propagation), not after the backward pass.
  bool communication = false;
  /// How many times as long computation takes while a message travels, 1 or more.
  double contention = 1;
};

enum class Activity { io, to_device, forward, backward, communication, update, buffers, unpack };
std::string_view to_string(Activity activity);

/// What several workers do beside computing and adding up gradients, as PyTorch's
/// DistributedDataParallel does it (S. Li et al., "PyTorch Distributed: Experiences on Accelerating
/// Data Parallel Training", VLDB 2020; torch/csrc/distributed/c10d/reducer.cpp).
struct Together {
  /// Before the forward pass: sending worker 0's buffers to the others.
  double buffers = 0;
  /// Computation of the slowest worker over that of this one, 1 or more: all wait for it.
  double slowest = 1;
  /// How many times as long a message takes while something is computed, 1 or more.
  double message_slowdown = 1;
  /// Of the host for one step; it may be ahead of the device, but not for ever.
  double host = 0;
};

/// A part of the timeline, in seconds from the iteration's begin. `index`: of the backward layer or
/// of the message.
struct Segment {
  Activity activity = Activity::forward;
  std::size_t index = 0;
  double begin = 0;
  double end = 0;
  bool operator==(const Segment&) const = default;
};

/// An iteration in the steady state: many like it came before.
struct Iteration {
  /// With the input overlapped, that of the next iteration's samples, from 0 on; else this one's,
  /// before everything else.
  std::vector<Segment> timeline{};
  /// From one iteration's begin to the next one's.
  double seconds = 0;
  /// Of all messages.
  double communication_seconds = 0;
  /// During which a message travelled and nothing was computed.
  double exposed_communication_seconds = 0;
  /// Of Together's buffers; what its slowest worker and its host make the iteration longer by.
  double buffers_seconds = 0;
  double slowest_seconds = 0;
  double host_seconds = 0;
  /// Copying gradients into messages, and back.
  double pack_seconds = 0;
  double unpack_seconds = 0;
  /// By which contention made the backward pass longer.
  double contention_seconds = 0;
  /// During which the step waited for samples.
  double exposed_input_seconds = 0;
};

/// The iteration of each of several workers. `cost` is null for one alone: nothing is sent. Layers
/// of the backward pass run one after the other, and so do messages; gradients are copied back
/// message by message, after the backward pass; the update waits for all of them.
///   input not overlapped:  t_io + t_h2d + t_step
///   overlapped:            max(t_io + t_h2d, t_step)
///   t_step = buffers + (t_f + t_b + t_u) * slowest + pack + contention + exposed communication
///            + unpack, or the host's time where that is longer
Iteration iteration(const WorkerStep& step, const std::vector<Message>& messages,
                    const CommunicationCost& cost, const Overlap& overlap,
                    const Together& together = {});

/// What the iteration would gain most by if it took no time.
enum class Bottleneck { input, computation, communication };
std::string_view to_string(Bottleneck bottleneck);
Bottleneck bottleneck(const WorkerStep& step, const std::vector<Message>& messages,
                      const CommunicationCost& cost, const Overlap& overlap,
                      const Together& together = {});

/// Samples a second of `workers`, each with as many samples as the one worker alone, relative to
/// that one: workers * alone / together.
double speed_up(std::size_t workers, double alone_seconds, double together_seconds);
/// speed_up / workers.
double efficiency(double alone_seconds, double together_seconds);

/// Seconds of a parameter server beside one of the workers: every other worker sends its gradients
/// over the server's one link, and gets the weights back: 2 * (workers - 1) transfers, one after
/// the other. `transfer`: of one, from one device to another.
CommunicationCost parameter_server(std::size_t workers, CommunicationCost transfer);

}  // namespace benanza::analysis
