#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/cudnn/graph/graph.h"

namespace benanza::cudnn {

/// A knob of an engine and its value; `type` is a cudnnBackendKnobType_t.
struct Knob {
  std::int64_t type = 0;
  std::int64_t value = 0;
  bool operator==(const Knob&) const = default;
};

/// An engine's global index and its knobs. The text alone identifies the engine config:
/// "engine17.k2=3.k13=1".
struct EngineId {
  std::int64_t engine = 0;
  /// Sorted by type; empty for the library's defaults.
  std::vector<Knob> knobs = {};
  bool operator==(const EngineId&) const = default;
};
std::string to_string(const EngineId& id);
/// Returns nullopt for any other text.
std::optional<EngineId> parse_engine(std::string_view text);
/// Values of EngineChoice::transform.
inline constexpr std::string_view winograd_engine = "winograd";
inline constexpr std::string_view fft_engine = "fft";
/// What the name of an EngineChoice says: "winograd.engine4".
struct EngineName {
  /// As EngineChoice::transform.
  std::string transform;
  EngineId id;
};
/// Returns nullopt for any other text.
std::optional<EngineName> parse_engine_name(std::string_view text);
/// The text that parse_engine_name() parses.
std::string to_string(const EngineName& name);
/// The values that an engine admits for a knob; not every combination of knobs is possible.
struct KnobRange {
  std::int64_t type = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t stride = 1;
};
/// The same engine with another value of one knob: every value of a short range; of a long one
/// those at distances of 1, 2, 4, ... strides. The nearest values come first. A knob that `id` does
/// not set has the library's default, which is unknown: it is taken for the least value.
std::vector<EngineId> near(const EngineId& id, const std::vector<KnobRange>& ranges);
/// Into how many slices the engine splits a sum (knob SPLIT_K_SLC); 1 if it does not say.
std::int64_t slices(const EngineId& id);

/// The arithmetic allowed for products, by the engines' numerical notes.
enum class Arithmetic {
  any,
  /// No inputs rounded to a type shorter than TF32.
  full_inputs,
  /// And no Tensor Cores: true fp32.
  no_tensor_cores
};

/// Which engines of a graph to list, with how many configs each. The library lists engine configs
/// by heuristic modes A, B and fallback, best first. They are taken in this order until there are
/// `most`: the first `leading` of A and of B, and of all others at most `per_engine` per engine.
struct EngineQuery {
  Arithmetic arithmetic = Arithmetic::any;
  std::size_t per_engine = 1;
  std::size_t leading = 0;
  /// Limits on all configs (0: no heuristics) and on those compiled at run time, which takes longer
  /// than measuring them.
  std::size_t most = 4;
  std::size_t most_compiled = 4;
  /// Adds, in front, the config with default knobs of every listed engine.
  bool defaults = false;
  /// Adds, with default knobs, every other engine that the library has for the graph.
  bool every_engine = false;

  bool operator==(const EngineQuery&) const = default;
};

/// An engine config, with claims from the engine's notes.
struct EngineChoice {
  EngineId id;
  /// The library's claim; false for graphs without products, where it says nothing.
  bool tensor_cores = false;
  /// "winograd" or "fft" if the engine's numerical notes say so; otherwise empty.
  std::string transform;
  /// Compiled when the plan is built, which takes longer than measuring it.
  bool is_compiled = false;
  Descriptor configuration;

  /// "engine17.k2=3", "winograd.engine4".
  std::string name() const;
};

/// Returns the engine configs of a finished graph, best first, without duplicates. Throws
/// Unsupported, with the library's message if any, if there are none.
std::vector<EngineChoice> engines(const OperationGraph& graph, const Target& target,
                                  const EngineQuery& query);

/// Returns the choice of this name, whether or not the heuristics list it. Throws Unsupported if
/// `name` does not name an engine that the library has for the graph.
EngineChoice engine_named(const OperationGraph& graph, const Target& target, std::string_view name);

/// The ranges of the engine's knobs.
std::vector<KnobRange> knob_ranges(const EngineChoice& choice);

/// Builds the execution plan, which has the WORKSPACE_SIZE. Throws Unsupported if the engine
/// refuses.
Descriptor make_plan(const EngineChoice& choice, const Target& target);

/// Serializes a plan, including compiled kernels, and restores it. Restoring takes about a
/// millisecond and needs a GPU. Both throw Unsupported if the library cannot do it.
std::string plan_text(const Descriptor& plan);
Descriptor restore_plan(const std::string& text, const Target& target);

}  // namespace benanza::cudnn
