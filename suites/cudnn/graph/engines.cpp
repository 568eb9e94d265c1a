#include "suites/cudnn/graph/engines.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "suites/cudnn/api/status.h"
#include "suites/harness/primitive.h"

namespace benanza::cudnn {
namespace {

/// The library explains its refusal of every engine over many lines; returns the first reason.
std::string first_reason(const std::string& words) {
  const std::size_t begin = words.find("CUDNN_STATUS");
  if (begin == words.npos) return {};
  return ": " + words.substr(begin, words.find('\n', begin) - begin);
}

/// Reads all values of an attribute, at most 32.
template <class Note>
std::vector<Note> notes(const Descriptor& engine, cudnnBackendAttributeName_t name,
                        cudnnBackendAttributeType_t type) {
  std::array<Note, 32> found{};
  std::int64_t count = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, engine.get(), name, type,
                static_cast<std::int64_t>(found.size()), &count, found.data());
  const auto used = std::min(static_cast<std::size_t>(count), found.size());
  return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(used)};
}

/// What an engine's notes claim.
struct Claims {
  bool tensor_cores = false;
  bool shortens_inputs = false;
  bool is_compiled = false;
  std::string transform;
};

Claims claims_of(const Descriptor& engine) {
  Claims claims;
  for (const auto note : notes<cudnnBackendNumericalNote_t>(
           engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE)) {
    if (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE) claims.tensor_cores = true;
    if (note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) claims.shortens_inputs = true;
    if (note == CUDNN_NUMERICAL_NOTE_FFT) claims.transform = fft_engine;
    if (note == CUDNN_NUMERICAL_NOTE_WINOGRAD || note == CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4 ||
        note == CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6 ||
        note == CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13) {
      claims.transform = winograd_engine;
    }
  }
  for (const auto note : notes<cudnnBackendBehaviorNote_t>(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE,
                                                           CUDNN_TYPE_BEHAVIOR_NOTE)) {
    if (note == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) claims.is_compiled = true;
  }
  return claims;
}

Descriptor engine_of(const Descriptor& configuration) {
  std::vector<Descriptor> engine;
  engine.emplace_back(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  configuration.read(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  return std::move(engine.front());
}

std::int64_t knob_type(const Descriptor& descriptor, cudnnBackendAttributeName_t name) {
  cudnnBackendKnobType_t type{};
  std::int64_t found = 0;
  BENANZA_CUDNN(cudnnBackendGetAttribute, descriptor.get(), name, CUDNN_TYPE_KNOB_TYPE, 1, &found,
                &type);
  return type;
}

std::vector<Knob> knobs_of(const Descriptor& configuration) {
  // A query for their number alone returns 0.
  std::vector<Descriptor> choices;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) {
    choices.emplace_back(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
  }
  const std::int64_t count = configuration.read(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, choices);
  std::vector<Knob> knobs;
  for (std::int64_t i = 0; i < count; ++i) {
    const Descriptor& choice = choices[static_cast<std::size_t>(i)];
    knobs.push_back({knob_type(choice, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE),
                     choice.number(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)});
  }
  std::ranges::sort(knobs, {}, &Knob::type);
  return knobs;
}

std::vector<Descriptor> configurations(const OperationGraph& graph, const Target& target,
                                       cudnnBackendHeurMode_t mode) {
  Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.graph());
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
  target.describe(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
  heuristics.finalize();
  std::vector<Descriptor> found;
  const std::int64_t count =
      heuristics.count(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  for (std::int64_t i = 0; i < count; ++i) found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  const std::int64_t read = heuristics.read(CUDNN_ATTR_ENGINEHEUR_RESULTS, found);
  found.erase(found.begin() + std::min(read, count), found.end());
  return found;
}

Descriptor configuration_of(const OperationGraph& graph, const Target& target, const EngineId& id) {
  Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph.graph());
  engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, id.engine);
  target.describe(engine, CUDNN_ATTR_ENGINE_DEVICEPROP);
  engine.finalize();
  Descriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  std::vector<Descriptor> choices;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const Knob& knob : id.knobs) {
    Descriptor& choice = choices.emplace_back(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
               static_cast<cudnnBackendKnobType_t>(knob.type));
    choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, knob.value);
    choice.finalize();
    handles.push_back(choice.get());
  }
  if (!handles.empty()) {
    configuration.set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                      static_cast<std::int64_t>(handles.size()), handles.data());
  }
  configuration.finalize();
  return configuration;
}

/// Collects choices according to an EngineQuery.
class Collection {
 public:
  Collection(const OperationGraph& graph, const EngineQuery& query)
      : graph_(graph), query_(query) {}

  /// `is_leading` exempts from the limit per engine.
  void add(Descriptor configuration, bool is_leading) {
    const Descriptor engine = engine_of(configuration);
    const std::int64_t index = engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
    if (is_full() || (!is_leading && of_engine_[index] >= query_.per_engine)) return;
    EngineId id{index, knobs_of(configuration)};
    add(std::move(id), std::move(configuration));
  }

  /// Puts the default configs first, without a limit on their number.
  void add_defaults(const Target& target) {
    const auto listed = static_cast<std::ptrdiff_t>(choices_.size());
    compiled_ = 0;
    for (const auto& [index, count] : std::map(of_engine_)) {
      add({index}, configuration_of(graph_, target, {index}));
    }
    std::rotate(choices_.begin(), choices_.begin() + listed, choices_.end());
  }

  void add(EngineId id, Descriptor configuration) {
    if (!seen_.insert(to_string(id)).second) return;
    const std::int64_t index = id.engine;
    const Descriptor engine = engine_of(configuration);
    Claims claims = claims_of(engine);
    if (!graph_.has_products()) claims.tensor_cores = false;
    if (!is_admitted(claims, index)) return;
    if (claims.is_compiled && compiled_ >= query_.most_compiled) return;
    compiled_ += claims.is_compiled ? 1 : 0;
    ++of_engine_[index];
    choices_.push_back({std::move(id), claims.tensor_cores, std::move(claims.transform),
                        claims.is_compiled, std::move(configuration)});
  }

  void refuse(const std::string& words) {
    if (refusal_.empty()) refusal_ = words;
  }

  bool is_full() const { return choices_.size() >= query_.most; }
  bool has(std::int64_t engine) const { return of_engine_.contains(engine); }

  std::vector<EngineChoice> take() {
    if (choices_.empty()) throw harness::Unsupported(refusal_);
    return std::move(choices_);
  }

 private:
  bool is_admitted(const Claims& claims, std::int64_t index) {
    const bool exact = query_.arithmetic == Arithmetic::no_tensor_cores;
    if (exact && claims.tensor_cores) {
      refuse("cuDNN's engine" + std::to_string(index) + " multiplies on Tensor Cores");
      return false;
    }
    if (query_.arithmetic != Arithmetic::any && claims.shortens_inputs) {
      refuse("cuDNN's engine" + std::to_string(index) + " rounds its inputs to a shorter type");
      return false;
    }
    return true;
  }

  const OperationGraph& graph_;
  const EngineQuery& query_;
  std::vector<EngineChoice> choices_;
  std::map<std::int64_t, std::size_t> of_engine_;
  std::set<std::string> seen_;
  std::size_t compiled_ = 0;
  std::string refusal_;
};

void add_every_engine(const OperationGraph& graph, const Target& target, Collection& collection) {
  const std::int64_t count = graph.graph().number(CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT);
  for (std::int64_t engine = 0; engine < count; ++engine) {
    if (collection.has(engine)) continue;
    try {
      collection.add(configuration_of(graph, target, {engine}), false);
    } catch (const harness::Unsupported& words) {
      collection.refuse(words.what());
    }
  }
}

}  // namespace

std::string EngineChoice::name() const {
  return to_string(EngineName{.transform = transform, .id = id});
}

std::vector<KnobRange> knob_ranges(const EngineChoice& choice) {
  const Descriptor engine = engine_of(choice.configuration);
  std::vector<Descriptor> found;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i) {
    found.emplace_back(CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR);
  }
  const std::int64_t count = engine.read(CUDNN_ATTR_ENGINE_KNOB_INFO, found);
  std::vector<KnobRange> ranges;
  for (std::int64_t i = 0; i < std::min(count, std::ssize(found)); ++i) {
    const Descriptor& one = found[static_cast<std::size_t>(i)];
    ranges.push_back({.type = knob_type(one, CUDNN_ATTR_KNOB_INFO_TYPE),
                      .least = one.number(CUDNN_ATTR_KNOB_INFO_MINIMUM_VALUE),
                      .most = one.number(CUDNN_ATTR_KNOB_INFO_MAXIMUM_VALUE),
                      .stride = one.number(CUDNN_ATTR_KNOB_INFO_STRIDE)});
  }
  return ranges;
}

std::vector<EngineChoice> engines(const OperationGraph& graph, const Target& target,
                                  const EngineQuery& query) {
  Collection collection(graph, query);
  for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
    if (collection.is_full()) break;
    std::vector<Descriptor> found;
    last_words();
    try {
      found = configurations(graph, target, mode);
      if (found.empty()) {
        collection.refuse("no engine of cuDNN computes this graph" + first_reason(last_words()));
      }
    } catch (const harness::Unsupported& words) {
      collection.refuse(words.what());
    }
    for (std::size_t place = 0; place < found.size(); ++place) {
      const bool is_leading = mode != CUDNN_HEUR_MODE_FALLBACK && place < query.leading;
      collection.add(std::move(found[place]), is_leading);
    }
  }
  if (query.defaults) collection.add_defaults(target);
  if (query.every_engine) add_every_engine(graph, target, collection);
  return collection.take();
}

EngineChoice engine_named(const OperationGraph& graph, const Target& target,
                          std::string_view name) {
  const auto named = parse_engine_name(name);
  if (!named) throw harness::Unsupported("cuDNN has no engine '" + std::string(name) + "'");
  const EngineId& id = named->id;
  Descriptor configuration = configuration_of(graph, target, id);
  Claims claims = claims_of(engine_of(configuration));
  EngineChoice choice{id, graph.has_products() && claims.tensor_cores, std::move(claims.transform),
                      claims.is_compiled, std::move(configuration)};
  if (choice.name() != name) {
    throw harness::Unsupported("cuDNN calls it " + choice.name() + ", not " + std::string(name));
  }
  return choice;
}

Descriptor make_plan(const EngineChoice& choice, const Target& target) {
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (target.handle() != nullptr) {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, target.handle());
  }
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, choice.configuration);
  target.describe(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
  plan.finalize();
  return plan;
}

std::string plan_text(const Descriptor& plan) {
  return plan.text(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
}

Descriptor restore_plan(const std::string& text, const Target& target) {
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (target.handle() != nullptr) {
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, target.handle());
  }
  target.describe(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
           static_cast<std::int64_t>(text.size()), text.data());
  plan.finalize();
  return plan;
}

}  // namespace benanza::cudnn
