#include "analysis/questions/common/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "analysis/model/collective_curves.h"
#include "analysis/model/device_rates.h"
#include "analysis/model/floor.h"
#include "analysis/profile_match/same_model.h"
#include "analysis/questions/common/row_marks.h"
#include "analysis/render/text.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
bool is_at(const Profile& profile, const MeasurementFilter& filter) {
  return profile.precision.empty() || profile.precision == to_string(filter.precision);
}

SumNames sum_names(const MeasurementFilter& filter) {
  if (filter.cold) {
    return {.sum = "sum of cold calls",
            .sequential = "sum of cold calls",
            .parallel = "longest path of cold calls"};
  }
  return {.sum = "bound", .sequential = "LBL sequential", .parallel = "LBL parallel"};
}

std::string filter_text(const MeasurementFilter& filter, Movement movement) {
  std::string text(to_string(filter.precision));
  if (filter.layout) text += ", layout " + std::string(to_string(*filter.layout));
  for (const std::string& backend : filter.backends) text += ", " + backend;
  if (filter.fallback) text += ", fallback " + std::string(to_string(*filter.fallback));
  if (filter.cold) text += ", cold caches (sums of cold calls are no bounds)";
  if (filter.max_workspace_bytes) {
    text += ", workspace up to " + std::to_string(*filter.max_workspace_bytes) + " bytes";
  }
  if (movement == Movement::include) text += ", movement included";
  return text;
}

void add_filter_facts(const MeasurementFilter& filter, nlohmann::ordered_json& facts) {
  facts["precision"] = to_string(filter.precision);
  facts["layout"] = word_of(filter.layout);
  facts["backend"] = nullptr;
  if (!filter.backends.empty()) {
    facts["backend"] = fmt::format("{}", fmt::join(filter.backends, ","));
  }
  facts["fallback"] = word_of(filter.fallback);
  facts["cold"] = filter.cold;
  if (filter.cold) facts["sums_are"] = "sums of cold calls, no bounds";
  facts["max_workspace_bytes"] = filter.max_workspace_bytes;
}

/// States at which precisions layers count whatever was asked for: calls of a recording. The update
/// of a training step, which is always in fp32, has a phase.
void add_own_precisions(Section& section, const Graph& graph, const MeasurementFilter& filter) {
  std::map<std::string, std::size_t> own;
  std::size_t other = 0;
  for (const Layer& layer : graph.layers) {
    if (!layer.phase.empty()) continue;
    if (parse_precision(layer.precision)) {
      ++own[std::string(to_string(precision_of(layer, filter.precision)))];
    } else if (layer.cost != Cost::free && layer.cost != Cost::unsupported) {
      ++other;
    }
  }
  if (own.empty()) return;
  std::string text;
  for (const auto& [precision, layers] : own) {
    text += fmt::format("{}{} {} at {}", text.empty() ? "" : ", ", layers,
                        layers == 1 ? "layer" : "layers", precision);
  }
  section.add(Entry{"own precision", fmt::format("{}, as the graph file says; {} for the other {}",
                                                 text, to_string(filter.precision), other)});
  section.facts["own_precisions"] = own;
}

Section model_section(const Graph& graph, const MeasurementFilter& filter, Movement movement) {
  Section section{.heading = title(graph) + ", " + filter_text(filter, movement)};
  section.facts["model"] = graph.model;
  section.facts["batch"] = graph.batch;
  add_filter_facts(filter, section.facts);
  section.facts["movement"] = movement == Movement::include ? "include" : "exclude";
  add_own_precisions(section, graph, filter);
  return section;
}

std::optional<LargeWeights> large_weights(const Subject& subject) {
  const MeasurementFilter& filter = subject.filter;
  const DeviceRates rates = device_rates(subject.inputs.results, filter);
  if (filter.cold ||
      !weights_come_from_memory(subject.graph, filter.precision, rates.most_kept_bytes)) {
    return std::nullopt;
  }
  return LargeWeights{
      .bytes = weight_bytes(subject.graph, filter.precision).value(),
      .cache_bytes = rates.cache_bytes.value(),
      .from_memory = &subject.measurements() != &subject.inputs.results.measurements};
}

void add_weights(Section& section, const std::optional<LargeWeights>& weights) {
  if (!weights) return;
  const std::string sizes = fmt::format("{:.1f} MB do not stay in the cache of {:.1f} MB",
                                        weights->bytes / 1e6, weights->cache_bytes / 1e6);
  section.add(Entry{"weights", weights->from_memory ? "timed from memory: " + sizes
                                                    : "timed in the cache, though " + sizes});
  section.facts["weights"] = {{"bytes", weights->bytes},
                              {"cache_bytes", weights->cache_bytes},
                              {"from_memory", weights->from_memory}};
}

void add_reference_code(Section& section, const ReferenceCode& code) {
  if (code.unpacked_calls > 0) {
    section.add(
        Entry{"unpacked weights",
              fmt::format("{} of the {} calls, {:.3f} ms: unpacked at load time",
                          code.unpacked_calls, code.all_calls, code.unpacked_seconds * 1e3)});
    section.add(
        Entry{"", "a call that reads them packed moves fewer bytes, and may be faster than this"});
    section.facts["unpacked_weights"] = {{"calls", code.unpacked_calls},
                                         {"of_calls", code.all_calls},
                                         {"seconds", code.unpacked_seconds}};
  }
  if (code.calls == 0) return;
  section.add(
      Entry{"reference code", fmt::format("{} of the {} calls, {:.3f} ms, most in {}", code.calls,
                                          code.all_calls, code.seconds * 1e3, code.worst_layer)});
  section.add(Entry{"", "the libraries have nothing faster for them; a framework may"});
  section.facts["reference_code"] = {{"calls", code.calls},
                                     {"of_calls", code.all_calls},
                                     {"seconds", code.seconds},
                                     {"worst_layer", code.worst_layer},
                                     {"worst_seconds", code.worst_seconds}};
}

std::string call_text(const Measurement* call) {
  if (call == nullptr) return "-";
  const VariantName& variant = call->variant;
  return std::string(to_string(variant.layout)) + '/' + variant.backend + '/' + variant.algorithm;
}

std::string calls_text(const LayerTime& time, std::optional<Precision> asked) {
  std::string text = time.fusion.empty() ? "" : time.fusion + ": ";
  std::size_t calls = 0;
  for (const Measurement* call : time.calls) {
    calls += library_calls(call->variant.algorithm);
    if (call != time.calls.front()) text += " + ";
    const Precision precision = call->variant.precision;
    if (asked && precision != *asked) text += std::string(to_string(precision)) + '/';
    text += call_text(call);
  }
  if (time.does.size() > 1)
    text += (calls > 1 ? " (" + std::to_string(calls) + " calls, " : " (one call, ") +
            std::to_string(time.does.size()) + " layers)";
  if (time.status == LayerStatus::part) return time.note;
  return text.empty() ? "-" : text;
}

std::optional<std::string> call_of(const Measurement* call) {
  return call == nullptr ? std::nullopt : std::optional(call_text(call));
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<std::size_t>& layers) {
  std::vector<std::string> names;
  for (const std::size_t layer : layers) names.push_back(graph.layers[layer].name);
  return names;
}

std::optional<double> quotient(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || !(*whole > 0)) return std::nullopt;
  return *part / *whole;
}

std::optional<double> in_ms(std::optional<double> seconds) {
  return seconds ? std::optional(*seconds * 1e3) : std::nullopt;
}

std::optional<double> seconds_of(const Measurement* call) {
  if (call == nullptr) return std::nullopt;
  return call->seconds();
}

nlohmann::ordered_json spread_json(const std::optional<Interval>& spread) {
  if (!spread) return nullptr;
  return {spread->low, spread->high};
}

nlohmann::ordered_json bound_json(const Bound& bound) {
  nlohmann::ordered_json processes;
  if (bound.spread) processes = bound.processes;
  return {{"seconds", bound.seconds},
          {"spread_seconds", spread_json(bound.spread)},
          {"spread_of_processes", std::move(processes)}};
}

std::string with_spread(const Bound& bound) {
  return with_spread(bound.seconds, bound.spread,
                     bound.processes == 1 ? "95% within one process" : "95%");
}

void require_complete(const Graph& graph, const std::vector<LayerTime>& times,
                      std::string_view kind) {
  std::string named;
  std::size_t count = 0;
  for (std::size_t layer = 0; layer < times.size(); ++layer) {
    for (const Gap& gap : times[layer].gaps) {
      if (++count > 3) continue;
      named += fmt::format("{}{} ({}; layer \"{}\")", named.empty() ? "" : ", ", gap.key,
                           gap.reason, graph.layers[layer].name);
    }
  }
  if (count == 0) return;
  throw Error(fmt::format(
      "{}, {}: {} measurement{} missing: {}{}; run the benchmarks, or add --allow-missing for a "
      "partial bound",
      title(graph), kind, count, count == 1 ? " is" : "s are", named, count > 3 ? ", ..." : ""));
}

void require_complete(const Subject& subject, const std::vector<LayerTime>& times) {
  if (subject.allow_missing) return;
  require_complete(subject.graph, times, to_string(subject.filter.precision));
}

std::vector<LayerTime> times_of(const Subject& subject) {
  std::vector<LayerTime> times =
      operator_times(subject.graph, subject.measurements(), subject.filter, subject.movement());
  if (!subject.filter.cold && lacks_collectives(subject.graph, times)) {
    const Precision precision = subject.filter.precision;
    estimate_collectives(subject.graph, collective_curves(subject.measurements(), precision, ""),
                         precision, times);
  }
  return times;
}

std::vector<LayerTime> complete_times(const Subject& subject) {
  std::vector<LayerTime> times = times_of(subject);
  require_complete(subject, times);
  return times;
}

void add_left_out(Section& section, const Graph& graph, const std::vector<std::size_t>& left_out,
                  bool partial) {
  section.facts["partial"] = partial || !left_out.empty();
  section.facts["left_out_layers"] = names_of(graph, left_out);
  if (!left_out.empty()) {
    section.add(
        fmt::format("PARTIAL: {} {} a time in some of these bounds only and {} in none, as {}",
                    left_out.size(), left_out.size() == 1 ? "layer has" : "layers have",
                    left_out.size() == 1 ? "is" : "are", graph.layers[left_out.front()].name));
  } else if (partial) {
    section.add("PARTIAL: layers without a time are left out; `bound` names them");
  }
}

bool are_of_processors(const Results& results) {
  return !results.systems.empty() && std::ranges::all_of(results.systems, [](const auto& one) {
    const auto& [backend, system] = one;
    return system.contains("cpu_model") && !system.contains("device");
  });
}

bool is_measured_at(Precision precision, const Subject& subject) {
  MeasurementFilter filter = subject.filter;
  filter.precision = precision;
  filter.fallback.reset();
  return std::ranges::any_of(layer_times(subject.graph, subject.measurements(), filter),
                             [](const LayerTime& time) { return !time.calls.empty(); });
}

const Profile* latency_profile(const Subject& subject) {
  const Profile* found = nullptr;
  for (const Profile& profile : subject.inputs.profiles) {
    if (!is_of(profile, subject.graph) || profile.latency_seconds.empty()) continue;
    if (found == nullptr || is_at(profile, subject.filter) || !is_at(*found, subject.filter)) {
      found = &profile;
    }
  }
  return found;
}

std::string framework_name(const Profile& profile, const MeasurementFilter& filter) {
  return profile.framework + (is_at(profile, filter) ? "" : ' ' + profile.precision);
}

template <class Run>
std::vector<const Run*> runs_of(const Subject& subject, const std::vector<Run>& all) {
  std::vector<const Run*> found;
  for (const Run& run : all) {
    if (is_of(run, subject.graph) && run.precision == subject.filter.precision) {
      found.push_back(&run);
    }
  }
  return found;
}

std::vector<const SequenceRun*> sequences_of(const Subject& subject) {
  return runs_of(subject, subject.inputs.sequences);
}

std::vector<const PlanRun*> plans_of(const Subject& subject) {
  return runs_of(subject, subject.inputs.plans);
}

const Profile* profile_of(const Subject& subject) {
  const Profile* found = nullptr;
  for (const Profile& profile : subject.inputs.profiles) {
    if (is_of(profile, subject.graph) && is_at(profile, subject.filter)) found = &profile;
  }
  return found;
}

std::vector<FrameworkPick> picks_of(const Subject& subject, const std::vector<AlgorithmRow>& rows,
                                    const std::vector<LibraryCall>& calls) {
  const Profile* profile = profile_of(subject);
  if (profile == nullptr || !profile->timeline) {
    if (calls.empty()) return {};
    return framework_picks(subject.graph, rows, subject.measurements(), subject.filter, nullptr,
                           calls);
  }
  const Profile run = one_run(*profile, subject.graph);
  return framework_picks(subject.graph, rows, subject.measurements(), subject.filter, &run, calls);
}

void require_kernels(const Inputs& inputs) {
  for (const Profile& profile : inputs.profiles) {
    const std::string path = profile.path.string();
    if (!profile.timeline) {
      throw Error(path +
                  ": does not say which kernels a GPU ran: give a profile of "
                  "scripts/profile-pytorch, or leave it out");
    }
    const bool asked = std::ranges::any_of(
        inputs.filters, [&](const MeasurementFilter& filter) { return is_at(profile, filter); });
    if (!asked && profile.precision == "mixed") {
      throw Error(path + ": profile of a run with products of several types, which is like no " +
                  "--precision: leave it out");
    }
    if (!asked && !parse_precision(profile.precision)) {
      throw Error(
          fmt::format("{}: profile of a run at {}, which is like no --precision: leave it out",
                      path, profile.precision));
    }
    if (!asked) {
      throw Error(fmt::format("{}: profile of a run at {}: say --precision {}, or leave it out",
                              path, profile.precision, profile.precision));
    }
  }
}

Page page_of(std::string_view command, const Inputs& inputs,
             const std::function<std::optional<Section>(const Subject&)>& section) {
  Page page{
      .command = std::string(command), .systems = inputs.results.systems, .note = inputs.left_out};
  for (const Graph& graph : inputs.graphs) {
    for (const MeasurementFilter& filter : inputs.filters) {
      auto answer = section({.inputs = inputs,
                             .graph = graph,
                             .filter = filter,
                             .allow_missing = inputs.allow_missing});
      if (!answer) continue;
      add_row_marks(*answer, graph, inputs.results.measurements, filter, inputs.movement);
      page.sections.push_back(*std::move(answer));
    }
  }
  return page;
}

void print(const Page& page, const Inputs& inputs) {
  print(page_text(page, inputs.format, inputs.rows));
}

void publish(const Page& page, const CommonFlags& flags, const std::string& title) {
  if (!flags.html.empty()) write_file(flags.html, page_html(page, "Benanza: " + title));
  print(page_text(page, flags.format, rows_of(flags)));
}

Action ask_about_models(Flags& flags, std::string_view command,
                        std::optional<Section> (*section)(const Subject&),
                        const std::string& precisions) {
  const auto values = std::make_shared<CommonFlags>();
  add_common_flags(flags, *values, precisions);
  return [=] {
    const Inputs inputs = read_inputs(*values);
    print(page_of(command, inputs, section), inputs);
  };
}

}  // namespace benanza::analysis
