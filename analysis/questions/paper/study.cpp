#include "analysis/questions/paper/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/model/whole.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/common/row_marks.h"

namespace benanza::analysis {

StudiedModel::StudiedModel(const Inputs& inputs, const Graph& graph,
                           const MeasurementFilter& filter, Precision tensor_cores)
    : subject_{.inputs = inputs,
               .graph = graph,
               .filter = filter,
               .allow_missing = true,
               .tensor_cores = tensor_cores} {}

std::string StudiedModel::name() const {
  const std::optional<std::int64_t>& batch = subject_.graph.batch;
  return subject_.graph.model + (batch ? ", batch " + std::to_string(*batch) : "");
}

const nlohmann::ordered_json& StudiedModel::facts(std::string_view question) const {
  if (const auto known = facts_.find(question); known != facts_.end()) return known->second;
  nlohmann::ordered_json answer;
  for (const Question& one : questions()) {
    if (one.name != question || one.section == nullptr) continue;
    if (std::optional<Section> section = one.section(subject_)) {
      Page page{.command = std::string(question), .flat = true};
      page.sections.push_back(*std::move(section));
      answer = nlohmann::ordered_json::parse(page_json(page));
    }
  }
  return facts_.emplace(question, std::move(answer)).first->second;
}

std::optional<double> StudiedModel::number(std::string_view question,
                                           const std::string& pointer) const {
  const nlohmann::ordered_json& all = facts(question);
  const nlohmann::ordered_json::json_pointer place(pointer);
  if (!all.contains(place) || !all.at(place).is_number()) return std::nullopt;
  return all.at(place).get<double>();
}

bool StudiedModel::is_partial() const {
  const nlohmann::ordered_json& bound = facts("bound");
  return bound.is_object() && bound.value("partial", false);
}

std::vector<const StudiedModel*> Study::at(Precision precision) const {
  std::vector<const StudiedModel*> found;
  for (const StudiedModel& model : models) {
    if (model.subject().filter.precision == precision) found.push_back(&model);
  }
  return found;
}

std::vector<Precision> Study::precisions() const {
  std::vector<Precision> found;
  for (const MeasurementFilter& filter : inputs.filters) found.push_back(filter.precision);
  return found;
}

std::vector<FrameworkRun> framework_runs(const StudiedModel& model) {
  std::vector<FrameworkRun> found;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("profiles")) return found;
  const std::string_view asked = to_string(model.subject().filter.precision);
  const auto text = [](const nlohmann::ordered_json& from, const char* field) {
    const auto value = from.find(field);
    return value != from.end() && value->is_string() ? value->get<std::string>() : std::string();
  };
  for (const auto& profile : facts["profiles"]) {
    const std::string precision = text(profile, "precision");
    if (!precision.empty() && precision != asked) continue;
    const std::string name = text(profile, "framework") + ' ' + text(profile, "version");
    const auto add = [&](const std::string& how, const nlohmann::ordered_json& seconds,
                         const nlohmann::ordered_json& ratios) {
      if (!seconds.is_number()) return;
      FrameworkRun run{.name = name + how, .seconds = seconds.get<double>()};
      if (ratios.is_object() && ratios.value("sequential", nlohmann::ordered_json()).is_number()) {
        run.ratio = ratios["sequential"].get<double>();
      }
      found.push_back(std::move(run));
    };
    if (profile.contains("latency_seconds")) {
      add("", profile["latency_seconds"], profile.value("benanza_ratio", nlohmann::ordered_json()));
    }
    if (profile.contains("cuda_graph") && profile["cuda_graph"].is_object()) {
      const auto& graph = profile["cuda_graph"];
      add(", CUDA graph", graph.value("seconds", nlohmann::ordered_json()),
          graph.value("benanza_ratio", nlohmann::ordered_json()));
    }
  }
  return found;
}

std::optional<FrameworkRun> fastest_run(const StudiedModel& model) {
  const std::vector<FrameworkRun> runs = framework_runs(model);
  const auto fastest = std::ranges::min_element(runs, {}, &FrameworkRun::seconds);
  return fastest == runs.end() ? std::nullopt : std::optional(*fastest);
}

std::optional<double> bound_seconds(const StudiedModel& model, const std::string& pointer) {
  const auto seconds = model.number("bound", pointer);
  return seconds && *seconds > 0 ? seconds : std::nullopt;
}

std::map<std::optional<std::int64_t>, std::vector<const StudiedModel*>> by_batch(
    const std::vector<const StudiedModel*>& models) {
  std::map<std::optional<std::int64_t>, std::vector<const StudiedModel*>> found;
  for (const StudiedModel* model : models) found[model->batch()].push_back(model);
  return found;
}

Bars bars_of(std::string title, const std::string& value,
             const std::vector<const StudiedModel*>& models,
             const std::function<std::optional<double>(const StudiedModel&)>& known_value,
             const std::string& unit, int decimals) {
  Bars bars{
      .title = std::move(title), .unit = unit, .decimals = decimals, .of_models = unit != "%"};
  const auto value_of = [&](const StudiedModel& model) {
    std::optional<double> found = known_value(model);
    if (found && unit == "%") *found *= 100;
    return found;
  };
  std::vector<const StudiedModel*> known;
  std::ranges::copy_if(models, std::back_inserter(known),
                       [&](const StudiedModel* model) { return value_of(*model).has_value(); });
  const auto batches = by_batch(known);
  std::map<std::string, int> sizes;
  for (const StudiedModel* model : known) ++sizes[model->model()];
  const bool at_several =
      std::ranges::any_of(sizes, [](const auto& model) { return model.second > 1; });
  const auto name_of = [&](const StudiedModel& model) {
    return at_several ? model.model() : model.name();
  };
  std::vector<std::string> names;
  std::set<std::string> partial;
  for (const StudiedModel* model : known) {
    const std::string name = name_of(*model);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (model->is_partial()) partial.insert(name);
  }
  if (!at_several) {
    Series series{.name = value, .values = {}};
    for (const StudiedModel* model : known) series.values.push_back(value_of(*model));
    bars.series.push_back(std::move(series));
  }
  for (const auto& [batch, of_batch] : batches) {
    if (!at_several) break;
    Series series{.name = batch ? "batch " + std::to_string(*batch) : "any batch",
                  .values = std::vector<std::optional<double>>(names.size())};
    for (const StudiedModel* model : of_batch) {
      const auto place = std::ranges::find(names, name_of(*model)) - names.begin();
      series.values[static_cast<std::size_t>(place)] = value_of(*model);
    }
    bars.series.push_back(std::move(series));
  }
  for (std::string& name : names) {
    if (partial.contains(name)) name += " ?";
    bars.categories.push_back(std::move(name));
  }
  return bars;
}

namespace {

/// Half the distance between the 10th and 90th percentiles of a profile's runs, relative to their
/// median; the median over all profiles.
std::optional<double> latency_spread(const std::vector<Profile>& profiles) {
  constexpr std::size_t enough_runs = 10;
  std::vector<double> spreads;
  for (const Profile& profile : profiles) {
    std::vector<double> runs = profile.graph_latency_seconds.empty()
                                   ? profile.latency_seconds
                                   : profile.graph_latency_seconds;
    if (runs.size() < enough_runs) continue;
    std::ranges::sort(runs);
    const std::size_t tenth = runs.size() / 10;
    spreads.push_back((runs[runs.size() - 1 - tenth] - runs[tenth]) / 2 / runs[runs.size() / 2]);
  }
  if (spreads.empty()) return std::nullopt;
  std::ranges::sort(spreads);
  return spreads[spreads.size() / 2];
}

/// Models at a precision whose bound rests on a first choice beside which nothing was measured.
std::size_t of_first_choices(const Study& study) {
  const MeasurementSet& measurements = study.inputs.results.measurements;
  if (!measurements.any_marked()) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(study.models, [&](const StudiedModel& model) {
        const Subject& subject = model.subject();
        const auto times =
            operator_times(subject.graph, measurements, subject.filter, subject.movement());
        return first_choices(times, measurements, subject.movement()).alone > 0;
      }));
}

}  // namespace

std::string conditions(const Study& study) {
  std::set<std::string> devices;
  std::set<std::string> libraries;
  for (const auto& [backend, system] : study.inputs.results.systems) {
    const auto field = [&](const std::string& name) {
      const auto found = system.find(name);
      return found == system.end() ? std::string() : found->second;
    };
    std::string device = field("device").empty() ? field("cpu_model") : field("device");
    if (!field("driver").empty()) device += ", driver " + field("driver");
    if (field("device").empty() && !field("threads").empty()) {
      device += ", " + field("threads") + " threads";
    }
    if (!device.empty()) devices.insert(device);
    libraries.insert(library_name(backend, system));
  }
  std::set<std::string> frameworks;
  for (const Profile& profile : study.inputs.profiles) {
    frameworks.insert(profile.framework + ' ' + profile.version);
  }
  std::vector<double> spreads;
  bool within_one_process = false;
  for (const StudiedModel& model : study.models) {
    const auto seconds = model.number("bound", "/bounds/sequential/seconds");
    const auto low = model.number("bound", "/bounds/sequential/spread_seconds/0");
    const auto high = model.number("bound", "/bounds/sequential/spread_seconds/1");
    if (seconds && low && high && *seconds > 0) spreads.push_back((*high - *low) / 2 / *seconds);
    within_one_process =
        within_one_process ||
        model.number("bound", "/bounds/sequential/spread_of_processes").value_or(0) == 1;
  }
  std::string text = fmt::format("{}; {}", fmt::join(devices, "; "), fmt::join(libraries, ", "));
  if (!frameworks.empty()) text += fmt::format("; {}", fmt::join(frameworks, ", "));
  if (spreads.empty() && !study.models.empty()) {
    text += ". The bounds have no intervals: too few repetitions";
  } else if (!spreads.empty()) {
    std::ranges::sort(spreads);
    text += fmt::format(". 95% intervals of the bounds{}: ±{:.1f}% in the median, ±{:.1f}% at most",
                        within_one_process ? " within one process" : "",
                        100 * spreads[spreads.size() / 2], 100 * spreads.back());
  }
  if (const auto spread = latency_spread(study.inputs.profiles)) {
    text += fmt::format("; 80% of a framework's runs: ±{:.1f}% in the median", 100 * *spread);
  }
  text += '.';
  if (const std::size_t models = of_first_choices(study); models > 0) {
    text += fmt::format(
        " Of {} of the {} bounds only the libraries' first choices were measured: others may be "
        "faster.",
        models, study.models.size());
  }
  return text;
}

std::optional<Section> Chapter::of(const Study& study) const {
  if (section != nullptr) return section(study);
  Section all;
  all.add(std::string(introduction));
  for (const Precision precision : study.precisions()) {
    add(all, {study.at(precision), std::string(to_string(precision))});
  }
  return all.blocks.size() > 1 ? std::optional(std::move(all)) : std::nullopt;
}

std::function<std::optional<double>(const StudiedModel*)> number_at(std::string question,
                                                                    std::string pointer) {
  return [question = std::move(question), pointer = std::move(pointer)](const StudiedModel* model) {
    return model->number(question, pointer);
  };
}

std::function<std::optional<std::size_t>(const StudiedModel*)> count_at(std::string question,
                                                                        std::string pointer) {
  return [question = std::move(question),
          pointer = std::move(pointer)](const StudiedModel* model) -> std::optional<std::size_t> {
    const auto number = model->number(question, pointer);
    if (!number) return std::nullopt;
    return static_cast<std::size_t>(*number);
  };
}

std::optional<double> number_in(const nlohmann::ordered_json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string marked(const StudiedModel& model) {
  return model.name() + (model.is_partial() ? " ?" : "");
}

std::optional<std::string> note_on_marks(const std::vector<const StudiedModel*>& models) {
  const bool any = std::ranges::any_of(models, [](const auto* one) { return one->is_partial(); });
  if (!any) return std::nullopt;
  return "? : layers without a call, or not measured, are left out of the sums.";
}

}  // namespace benanza::analysis
