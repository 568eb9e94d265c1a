#include <algorithm>
#include <charconv>

#include "suites/cudnn/graph/engines.h"

namespace benanza::cudnn {
namespace {

/// All values of a knob but its own, nearest first.
std::vector<std::int64_t> other_values(const KnobRange& range, std::int64_t own) {
  // Numbers of kernels, whose order means little.
  constexpr std::int64_t short_range = 64;
  if (range.stride <= 0 || range.most < range.least) return {};
  const bool is_short = (range.most - range.least) / range.stride < short_range;
  std::vector<std::int64_t> values;
  const auto add = [&](std::int64_t value) {
    if (value >= range.least && value <= range.most && value != own) values.push_back(value);
  };
  for (std::int64_t distance = range.stride; distance <= range.most - range.least;
       distance = is_short ? distance + range.stride : 2 * distance) {
    add(own + distance);
    add(own - distance);
  }
  return values;
}

}  // namespace

std::string to_string(const EngineId& id) {
  std::string text = "engine" + std::to_string(id.engine);
  for (const Knob& knob : id.knobs) {
    text += ".k" + std::to_string(knob.type) + '=' + std::to_string(knob.value);
  }
  return text;
}

std::optional<EngineId> parse_engine(std::string_view text) {
  const auto take = [&](std::string_view prefix) -> std::optional<std::int64_t> {
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  const std::string whole(text);
  const auto engine = take("engine");
  if (!engine) return std::nullopt;
  EngineId id{*engine};
  while (!text.empty()) {
    const auto type = take(".k");
    const auto value = take("=");
    if (!type || !value) return std::nullopt;
    id.knobs.push_back({*type, *value});
  }
  if (to_string(id) != whole) return std::nullopt;
  return id;
}

std::optional<EngineName> parse_engine_name(std::string_view text) {
  EngineName found;
  for (const std::string_view transform : {winograd_engine, fft_engine}) {
    if (!text.starts_with(transform) || !text.substr(transform.size()).starts_with('.')) continue;
    found.transform = transform;
    text.remove_prefix(transform.size() + 1);
    break;
  }
  const auto id = parse_engine(text);
  if (!id) return std::nullopt;
  found.id = *id;
  return found;
}

std::string to_string(const EngineName& name) {
  return (name.transform.empty() ? "" : name.transform + '.') + to_string(name.id);
}

std::vector<EngineId> near(const EngineId& id, const std::vector<KnobRange>& ranges) {
  std::vector<EngineId> found;
  for (const KnobRange& range : ranges) {
    EngineId other = id;
    auto knob = std::ranges::find(other.knobs, range.type, &Knob::type);
    if (knob == other.knobs.end()) {
      knob = other.knobs.insert(std::ranges::upper_bound(other.knobs, range.type, {}, &Knob::type),
                                {range.type, range.least});
    }
    for (const std::int64_t value : other_values(range, knob->value)) {
      knob->value = value;
      found.push_back(other);
    }
  }
  return found;
}

std::int64_t slices(const EngineId& id) {
  const auto found = std::ranges::find(
      id.knobs, static_cast<std::int64_t>(CUDNN_KNOB_TYPE_SPLIT_K_SLC), &Knob::type);
  return found == id.knobs.end() ? 1 : std::max(found->value, std::int64_t{1});
}

}  // namespace benanza::cudnn
