#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/interpolation.h"
#include "analysis/model/serving.h"
#include "core/graph_file/graph.h"

namespace benanza::analysis {

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
