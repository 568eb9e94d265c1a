#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/cudnn/graph/graph.h"

namespace benanza::cudnn {

/// A setting of an engine; `type` is one of cudnnBackendKnobType_t.
struct Knob {
  std::int64_t type = 0;
  std::int64_t value = 0;
  bool operator==(const Knob&) const = default;
};

/// An engine by its number, and its settings. The text alone names the same plan again:
/// "engine17.k2=3.k13=1".
struct EngineId {
  std::int64_t engine = 0;
  /// In the order of their types; empty where the library takes its own defaults.
  std::vector<Knob> knobs = {};
  bool operator==(const EngineId&) const = default;
};
std::string to_string(const EngineId& id);
/// Nothing for any other text.
std::optional<EngineId> parse_engine(std::string_view text);

/// What products may be made of, by the notes that the engines carry.
enum class Arithmetic {
  any,
  /// No inputs rounded to a shorter type than TF32.
  full_inputs,
  /// Nor Tensor Cores: true fp32.
  no_tensor_cores
};

/// Which engines of a graph are wanted, and in how many configurations. The library lists
/// configurations by its heuristics' modes A, B and the fallback, best first. They are taken in
/// this order until there are `most`: of A and of B the first `leading`, of every engine
/// `per_engine`.
struct EngineQuery {
  Arithmetic arithmetic = Arithmetic::any;
  std::size_t per_engine = 1;
  std::size_t leading = 0;
  /// In all (0: the heuristics are not asked); of those that are compiled at run time, which takes
  /// longer than measuring them.
  std::size_t most = 4;
  std::size_t most_compiled = 4;
  /// And of each of these engines, before them, the configuration without settings.
  bool defaults = false;
  /// And every other engine that the library knows for the graph, with its defaults.
  bool every_engine = false;

  bool operator==(const EngineQuery&) const = default;
};

/// An engine's configuration as the heuristics give it.
struct EngineChoice {
  EngineId id;
  /// The library's claim; never of a graph without a product, where it says nothing.
  bool tensor_cores = false;
  /// "winograd" or "fft", where the library says that it multiplies transforms; else empty.
  std::string transform;
  /// When its plan is built, which takes longer than measuring it.
  bool is_compiled = false;
  Descriptor configuration;

  /// "engine17.k2=3", "winograd.engine4".
  std::string name() const;
};

/// Configurations for a finished graph, best first, each once. Throws Unsupported, in the library's
/// words where it has any, if there is none.
std::vector<EngineChoice> engines(const OperationGraph& graph, const Target& target,
                                  const EngineQuery& query);

/// The choice of that name, whatever the heuristics say. Throws Unsupported if the library has no
/// such engine for the graph, or it is no engine's name.
EngineChoice engine_named(const OperationGraph& graph, const Target& target, std::string_view name);

/// Builds the engine; its WORKSPACE_SIZE can be asked for. Throws Unsupported if it refuses.
Descriptor make_plan(const EngineChoice& choice, const Target& target);

/// A plan as text, what was compiled included, and the same plan again: loaded, on a GPU, in about
/// a millisecond. Throws Unsupported if the library cannot write or read it.
std::string plan_text(const Descriptor& plan);
Descriptor restore_plan(const std::string& text, const Target& target);

}  // namespace benanza::cudnn
