#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/algorithms.h"
#include "analysis/model/whole.h"
#include "analysis/profile_match/picks.h"
#include "analysis/questions/common/inputs.h"
#include "analysis/render/page.h"

/// Shared by the questions about models.
namespace benanza::analysis {

/// One model at one precision, and the inputs read for it.
struct Subject {
  const Inputs& inputs;
  const Graph& graph;
  const MeasurementFilter& filter;
  /// False: a missing measurement is an Error.
  bool allow_missing = false;
  /// The precision with Tensor Cores, for questions that compare with it.
  Precision tensor_cores = Precision::fp16;

  const MeasurementSet& measurements() const { return measurements_of(inputs, graph, filter); }
  Movement movement() const { return inputs.movement; }
};

/// What the sums of a model's calls are called. Calls that were each timed from memory (--cold) add
/// up to no bound: one after the other, they find in the caches what those before them wrote.
struct SumNames {
  std::string_view sum;
  std::string_view sequential;
  std::string_view parallel;
};
SumNames sum_names(const MeasurementFilter& filter);

/// Describes which measurements count: "fp32, layout nhwc".
std::string filter_text(const MeasurementFilter& filter, Movement movement = Movement::exclude);
/// What to_string() says of the value.
template <class T>
std::optional<std::string_view> word_of(const std::optional<T>& value) {
  return value ? std::optional<std::string_view>(to_string(*value)) : std::nullopt;
}
/// The same as JSON facts, starting with "precision"; "backend" is "cudnn,cublas", or null if all
/// are admitted.
void add_filter_facts(const MeasurementFilter& filter, nlohmann::ordered_json& facts);

/// Returns a section about one model: its heading ("resnet50_v1, batch 8, fp32"), and the facts
/// "model", "batch", "precision" and the other filter settings.
Section model_section(const Graph& graph, const MeasurementFilter& filter,
                      Movement movement = Movement::exclude);

/// Weights that do not fit the cache.
struct LargeWeights {
  double bytes = 0;
  double cache_bytes = 0;
  /// The calls' times are with weights from memory.
  bool from_memory = false;
};
/// Empty if the weights fit, or if that is not known.
std::optional<LargeWeights> large_weights(const Subject& subject);
/// Says where the calls find them.
void add_weights(Section& section, const std::optional<LargeWeights>& weights);

/// Says how much of an answer rests on reference code; nothing if none does.
void add_reference_code(Section& section, const ReferenceCode& code);

/// "layout/backend/algorithm"; "-" for null.
std::string call_text(const Measurement* call);
/// The same for all calls of a layer, in order, after the name of the fusion that chose them. If
/// `asked` is given, calls at another precision start with theirs.
std::string calls_text(const LayerTime& time, std::optional<Precision> asked = {});
/// call_text(); empty for null.
std::optional<std::string> call_of(const Measurement* call);
/// `part` / `whole`; empty if one of them is unknown or `whole` is not positive.
std::optional<double> quotient(std::optional<double> part, std::optional<double> whole);
/// Milliseconds.
std::optional<double> in_ms(std::optional<double> seconds);
/// Empty for null.
std::optional<double> seconds_of(const Measurement* call);
/// The interval as [low, high]; null if unknown.
nlohmann::ordered_json spread_json(const std::optional<Interval>& spread);
/// The names of `layers`.
std::vector<std::string> names_of(const Graph& graph, const std::vector<std::size_t>& layers);
/// {"seconds", "spread_seconds", "spread_of_processes": 1 means within one process; null without a
/// spread}.
nlohmann::ordered_json bound_json(const Bound& bound);
/// "1.234 ms  (95%: 1.200 to 1.300)", or "(95% within one process: ...)".
std::string with_spread(const Bound& bound);

/// Throws Error if layers lack measurements, naming the first few. `kind` says which bound it is
/// ("fp32").
void require_complete(const Graph& graph, const std::vector<LayerTime>& times,
                      std::string_view kind);

/// The same for the subject's precision, unless measurements may be missing.
void require_complete(const Subject& subject, const std::vector<LayerTime>& times);
/// operator_times() of the subject; complete_times() requires that they are.
std::vector<LayerTime> times_of(const Subject& subject);
std::vector<LayerTime> complete_times(const Subject& subject);

/// Reports which layers a comparison of bounds leaves out, and whether any layer lacks a time
/// (facts `partial`, `left_out_layers`).
void add_left_out(Section& section, const Graph& graph, const std::vector<std::size_t>& left_out,
                  bool partial);

/// Whether all results are of processors: nothing is said of Tensor Cores then.
bool are_of_processors(const Results& results);
/// True if any layer has a time at `precision`, without fallback.
bool is_measured_at(Precision precision, const Subject& subject);

/// The last profile of this model that has a latency, preferring the filter's precision. Null if
/// there is none.
const Profile* latency_profile(const Subject& subject);
/// "pytorch"; "pytorch tf32" if the profile's precision is not the filter's.
std::string framework_name(const Profile& profile, const MeasurementFilter& filter);
/// True if the profile is of the filter's precision or does not state one.
bool is_at(const Profile& profile, const MeasurementFilter& filter);
/// The sequences of this model at the filter's precision.
std::vector<const SequenceRun*> sequences_of(const Subject& subject);
/// The runs of plans of this model at the filter's precision.
std::vector<const PlanRun*> plans_of(const Subject& subject);
/// The last profile of this model at the filter's precision; null if there is none.
const Profile* profile_of(const Subject& subject);

/// The framework's choices for `rows`, from profile_of() and the calls of API logs: one per row, or
/// none without either source. Throws Error for a profile of another model.
std::vector<FrameworkPick> picks_of(const Subject& subject, const std::vector<AlgorithmRow>& rows,
                                    const std::vector<LibraryCall>& calls = {});

/// Throws Error (one line) if a profile does not list the GPU's kernels, or if its precision was
/// not requested.
void require_kernels(const Inputs& inputs);

/// The answers of `section` for every model at every precision.
Page page_of(std::string_view command, const Inputs& inputs,
             const std::function<std::optional<Section>(const Subject&)>& section);
void print(const Page& page, const Inputs& inputs);
/// Prints the page, and writes it as HTML if that was asked for, after "Benanza: " and `title`.
void publish(const Page& page, const CommonFlags& flags, const std::string& title);

/// Adds the common flags; the returned action prints page_of().
Action ask_about_models(Flags& flags, std::string_view command,
                        std::optional<Section> (*section)(const Subject&),
                        const std::string& precisions = "fp32");

}  // namespace benanza::analysis
