#include "analysis/questions/serve/point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

/// Reads the metadata of one graph.
class Metadata {
 public:
  explicit Metadata(const Graph& graph) : graph_(graph) {}

  std::string text(const char* name, std::optional<std::string> otherwise = {}) const {
    const auto found = graph_.metadata.find(name);
    if (found != graph_.metadata.end() && !found->second.empty()) return found->second;
    if (otherwise) return *otherwise;
    throw Error(fmt::format(
        "{}: its graph file has no metadata \"{}\": write it with benanza-generate from a model of "
        "`benanza-zoo llm`",
        title(graph_), name));
  }
  std::int64_t count(const char* name, std::int64_t least, std::int64_t otherwise) const {
    const std::string word = text(name, std::to_string(otherwise));
    const auto value = text::number<std::int64_t>(word);
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (value && *value >= least && *value <= most) return *value;
    throw wrong(name, word);
  }
  double bytes(const char* name, std::optional<std::string> otherwise = {}) const {
    const std::string word = text(name, std::move(otherwise));
    const auto value = text::number<double>(word);
    if (value && std::isfinite(*value) && *value >= 0) return *value;
    throw wrong(name, word);
  }
  Error wrong(const char* name, const std::string& value) const {
    return Error(
        fmt::format("{}: its metadata have {} \"{}\", which is none; write it again with "
                    "benanza-generate",
                    title(graph_), name, value));
  }

 private:
  const Graph& graph_;
};

}  // namespace

double ServedMemory::bytes(double batch, double tokens) const {
  return weight_bytes + batch * (cache_bytes_per_token * tokens + cache_bytes_fixed);
}

std::optional<std::int64_t> largest_batch(const ServedMemory& memory, double tokens,
                                          double device_bytes) {
  const double each = memory.bytes(1, tokens) - memory.weight_bytes;
  if (!(each > 0)) return std::nullopt;
  return static_cast<std::int64_t>(
      std::max(0.0, std::floor((device_bytes - memory.weight_bytes) / each)));
}

double ServedBatch::seconds() const {
  return batch / prompts_at_once * prefill_seconds + (output_tokens - 1) * token_seconds;
}

double usd_per_million_tokens(double usd_per_hour, double tokens_per_second) {
  constexpr double seconds_per_hour = 3600;
  constexpr double million = 1e6;
  return usd_per_hour / seconds_per_hour / tokens_per_second * million;
}

std::vector<bool> front_of(const std::vector<Offer>& offers) {
  std::vector<bool> found;
  for (const Offer& one : offers) {
    found.push_back(std::ranges::none_of(offers, [&](const Offer& other) {
      const bool as_good = other.seconds <= one.seconds && other.per_second >= one.per_second;
      return as_good && (other.seconds < one.seconds || other.per_second > one.per_second);
    }));
  }
  return found;
}

std::string_view to_string(ServingPhase phase) {
  constexpr std::string_view names[] = {"prefill", "decode", "extend"};
  return names[static_cast<std::size_t>(phase)];
}

std::string text_of(const ServingVariant& variant) {
  std::string text = fmt::format("{} weights, {} cache", variant.weights, variant.cache);
  if (variant.tensor_parallel > 1) text += fmt::format(", {} GPUs", variant.tensor_parallel);
  return text;
}

std::vector<std::string_view> axes_of(ServingPhase phase) {
  switch (phase) {
    case ServingPhase::prefill:
      return {"new", "batch"};
    case ServingPhase::decode:
      return {"past", "batch"};
    case ServingPhase::extend:
      return {"new", "past", "batch"};
  }
  return {};
}

std::optional<std::int64_t> value_on(ServingPhase phase, const Place& place,
                                     std::string_view axis) {
  const auto axes = axes_of(phase);
  const auto found = std::ranges::find(axes, axis);
  if (found == axes.end()) return std::nullopt;
  return place[static_cast<std::size_t>(found - axes.begin())];
}

Place ServingPoint::place() const {
  Place place;
  for (const std::string_view axis : axes_of(phase)) {
    place.push_back(axis == "batch" ? batch : axis == "past" ? past : new_tokens);
  }
  return place;
}

ServingPoint serving_point(const Graph& graph) {
  const Metadata metadata(graph);
  ServingPoint point{.model = metadata.text("model"),
                     .batch = metadata.count("batch", 1, graph.batch.value_or(1)),
                     .past = metadata.count("past", 0, 0),
                     .new_tokens = metadata.count("new", 1, 1),
                     .variant = {.weights = metadata.text("weights", "unknown"),
                                 .cache = metadata.text("cache", "unknown"),
                                 .tensor_parallel = metadata.count("tensor_parallel", 1, 1)},
                     .memory = {.weight_bytes = metadata.bytes("weight_bytes"),
                                .cache_bytes_per_token = metadata.bytes("cache_bytes_per_token"),
                                .cache_bytes_fixed = metadata.bytes("cache_bytes_fixed", "0")}};
  const std::string phase = metadata.text("phase");
  for (const ServingPhase known :
       {ServingPhase::prefill, ServingPhase::decode, ServingPhase::extend}) {
    if (phase != to_string(known)) continue;
    point.phase = known;
    if (known == ServingPhase::decode && point.new_tokens != 1) {
      throw metadata.wrong("new", metadata.text("new"));
    }
    if (known == ServingPhase::prefill && point.past != 0) {
      throw metadata.wrong("past", metadata.text("past"));
    }
    return point;
  }
  throw metadata.wrong("phase", phase);
}

}  // namespace benanza::analysis
