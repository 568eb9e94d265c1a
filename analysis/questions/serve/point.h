#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/interpolation.h"
#include "core/graph_file/graph.h"

/// What the steps of a language model mean for those who serve it.
namespace benanza::analysis {

inline constexpr double gibibyte = 1024.0 * 1024 * 1024;

/// What a model keeps in the memory of one device, in bytes.
struct ServedMemory {
  double weight_bytes = 0;
  /// Keys and values of one token of one sequence.
  double cache_bytes_per_token = 0;
  /// What a sequence needs whatever its length.
  double cache_bytes_fixed = 0;

  /// With `batch` sequences of `tokens` each.
  double bytes(double batch, double tokens) const;
};

/// The most sequences of `tokens` each that fit beside the weights; 0 if not one does. Empty if
/// sequences need no memory.
std::optional<std::int64_t> largest_batch(const ServedMemory& memory, double tokens,
                                          double device_bytes);

/// A batch of requests, served from beginning to end: prompts one group after the other, of which
/// each gives the first tokens, then a step for each further token of all.
struct ServedBatch {
  double batch = 1;
  /// Prompts of one prefill step, and its seconds.
  double prompts_at_once = 1;
  double prefill_seconds = 0;
  /// Tokens of an answer, and seconds of a step that makes one more for each sequence.
  double output_tokens = 1;
  double token_seconds = 0;

  double seconds() const;
  double requests_per_second() const { return batch / seconds(); }
  double tokens_per_second() const { return requests_per_second() * output_tokens; }
};

/// Of a device, or of several at once, that cost `usd_per_hour` together.
double usd_per_million_tokens(double usd_per_hour, double tokens_per_second);

/// A choice by what is waited for and what is had per second.
struct Offer {
  double seconds = 0;
  double per_second = 0;
};
/// For each offer, whether no other is at least as good in both and better in one.
std::vector<bool> front_of(const std::vector<Offer>& offers);

/// A step of a language model. prefill: all tokens of a prompt. decode: one further token. extend:
/// the rest of a prompt whose beginning is in the cache.
enum class ServingPhase { prefill, decode, extend };
std::string_view to_string(ServingPhase phase);

/// What may differ between two ways to serve one model.
struct ServingVariant {
  std::string weights{};
  std::string cache{};
  /// GPUs that share each layer.
  std::int64_t tensor_parallel = 1;

  auto operator<=>(const ServingVariant&) const = default;
};
/// "bf16 weights, fp8 cache, 2 GPUs".
std::string text_of(const ServingVariant& variant);

/// Where one graph file lies among the steps of its model, by its metadata.
struct ServingPoint {
  std::string model{};
  ServingPhase phase = ServingPhase::decode;
  std::int64_t batch = 1;
  /// Tokens in the cache before the step, and tokens of a sequence in it.
  std::int64_t past = 0;
  std::int64_t new_tokens = 1;
  ServingVariant variant{};
  ServedMemory memory{};

  Place place() const;
};

/// The axes of a phase, as in the metadata: those that decide how long a step takes. The batch is
/// the last one.
std::vector<std::string_view> axes_of(ServingPhase phase);

/// Empty if the phase has no such axis.
std::optional<std::int64_t> value_on(ServingPhase phase, const Place& place, std::string_view axis);

/// Throws Error, one line, if the metadata lack something or contradict themselves.
ServingPoint serving_point(const Graph& graph);

}  // namespace benanza::analysis
