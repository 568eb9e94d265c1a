#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/input/inputs.h"
#include "analysis/model/algorithms.h"
#include "analysis/model/whole.h"
#include "analysis/profile_match/picks.h"
#include "analysis/render/page.h"

/// Shared by the questions about models.
namespace benanza::analysis {

/// One model at one precision, and what was read for it.
struct Subject {
  const Inputs& inputs;
  const Graph& graph;
  const MeasurementFilter& filter;
  /// False: a missing measurement is an Error.
  bool allow_missing = false;
  /// The precision with Tensor Cores, for questions that compare with it.
  Precision tensor_cores = Precision::fp16;

  const MeasurementSet& measurements() const { return inputs.results.measurements; }
  Movement movement() const { return inputs.movement; }
};

/// "fp32, layout nhwc": which measurements count.
std::string filter_text(const MeasurementFilter& filter, Movement movement = Movement::exclude);
/// The same for programs, beginning with "precision".
void add_filter_facts(const MeasurementFilter& filter, nlohmann::ordered_json& facts);

/// A section about one model: its heading ("resnet50_v1, batch 8, fp32"), and the facts "model",
/// "batch", "precision" and what else was asked.
Section model_section(const Graph& graph, const MeasurementFilter& filter,
                      Movement movement = Movement::exclude);

/// "layout/backend/algorithm"; "-" for none.
std::string call_text(const Measurement* call);
/// The same of all calls of a layer, in their order, after the fusion that chose them. With
/// `asked`, calls at another precision begin with theirs.
std::string calls_text(const LayerTime& time, std::optional<Precision> asked = {});
/// Empty for none.
std::optional<double> seconds_of(const Measurement* call);
/// Its median spread as [low, high]; null where it is not known.
nlohmann::ordered_json spread_json(const std::optional<Interval>& spread);
std::string with_spread(const Bound& bound);

/// Throws Error, naming the first few measurements that layers lack, if there are any; `kind` says
/// of what bound ("fp32").
void require_complete(const Graph& graph, const std::vector<LayerTime>& times,
                      std::string_view kind);

/// Says which layers a comparison of bounds leaves out, and whether any lacks a time (facts
/// `partial`, `left_out_layers`).
void add_left_out(Section& section, const Graph& graph, const std::vector<std::size_t>& left_out,
                  bool partial);

/// True if a layer has a time at `precision` itself.
bool is_measured_at(Precision precision, const Subject& subject);

/// The last profile of this model that knows a latency: of the filter's precision, else of another.
/// Null if there is none.
const Profile* latency_profile(const Subject& subject);
/// "pytorch"; "pytorch tf32" where the profile is of another precision than the filter's.
std::string framework_name(const Profile& profile, const MeasurementFilter& filter);
/// Is the profile of the filter's precision, or of one that it does not state?
bool is_at(const Profile& profile, const MeasurementFilter& filter);
/// The last profile of this model and of the filter's precision; null if there is none.
const Profile* profile_of(const Subject& subject);

/// The framework's choices for `rows`, by profile_of() and by the calls of API logs: one per row;
/// none without either. Throws Error for a profile of another model.
std::vector<FrameworkPick> picks_of(const Subject& subject, const std::vector<AlgorithmRow>& rows,
                                    const std::vector<LibraryCall>& calls = {});

/// Throws Error, one line, for a profile that does not say which kernels the GPU ran, and for one
/// of a precision that was not asked for.
void require_kernels(const Inputs& inputs);

/// The answers of `section` about every model at every precision.
Page page_of(std::string_view command, const Inputs& inputs,
             const std::function<std::optional<Section>(const Subject&)>& section);
void print(const Page& page, const Inputs& inputs);

/// Adds the common flags; prints page_of().
Action ask_about_models(Flags& flags, std::string_view command,
                        std::optional<Section> (*section)(const Subject&),
                        const std::string& precisions = "fp32");

}  // namespace benanza::analysis
