// benanza-analyze energy: what a run of the model costs in joules, layer by layer.

#include <fmt/format.h>

#include <memory>

#include "analysis/model/bounds.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

constexpr double joules_per_kwh = 3.6e6;
constexpr double million = 1e6;

struct EnergyOptions {
  CommonFlags common;
  /// 0: not given.
  double usd_per_kwh = 0;
};

Sheet energy_layers_sheet(const Subject& subject, const std::vector<LayerTime>& times,
                          const ModelEnergy& energy) {
  using Row = LayerEnergy;
  const auto& layers = subject.graph.layers;
  const Table<Row> table{
      {"layer", "layer", [&](const Row& row) { return layers[row.layer].name; }, name_width},
      {"op", "op", [&](const Row& row) { return layers[row.layer].op; }},
      {"mJ", "joules", milli, &Row::joules},
      {"share", "share", percent, [&](const Row& row) { return row.joules / energy.joules; }},
      {"W", "watts", thousandths,
       [&](const Row& row) { return row.joules / *times[row.layer].seconds; }},
      {"us", "seconds", micro, [&](const Row& row) { return times[row.layer].seconds; }},
      {"layout/backend/algorithm", "calls",
       [&](const Row& row) { return calls_text(times[row.layer]); }, any_width}};
  return table.sheet(energy.layers, {.name = "layers", .caption = "layers, the most energy first"});
}

/// Empty if the results have no energy of any call.
std::optional<Section> energy_section_of(const Subject& subject, double usd_per_kwh) {
  const auto times = times_of(subject);
  const ModelEnergy energy = energy_of(times, subject.movement());
  if (energy.layers.empty() || !(energy.joules > 0)) return std::nullopt;
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  const bool partial = is_partial(times, subject.movement()) || !energy.complete_joules();
  const double watts = energy.joules / energy.known_seconds;
  section.facts["joules"] = energy.joules;
  section.facts["watts"] = watts;
  section.facts["known_seconds"] = energy.known_seconds;
  section.facts["sequential_seconds"] = energy.seconds;
  section.facts["partial"] = partial;
  const std::string mark = partial ? "  PARTIAL" : "";
  section.add(Entry{"energy", fmt::format("{:.3f} J per run{}", energy.joules, mark)});
  for (const SequenceRun* const run : sequences_of(subject)) {
    if (!run->joules || run->fused) continue;
    const double part = energy.joules / *run->joules;
    section.facts["sequence_joules"] = *run->joules;
    section.facts["sequence_ratio"] = part;
    section.add(
        Entry{"in sequence", fmt::format("{:.3f} J, measured as one; the sum above is {:.3f} of it",
                                         *run->joules, part)});
  }
  const double samples = static_cast<double>(subject.graph.batch.value_or(1));
  if (samples > 1) {
    section.add(Entry{"per sample", fmt::format("{:.4f} J", energy.joules / samples)});
  }
  section.add(Entry{"mean power", fmt::format("{:.1f} W", watts)});
  if (usd_per_kwh > 0) {
    const double usd = energy.joules / samples * million / joules_per_kwh * usd_per_kwh;
    section.facts["usd_per_million_samples"] = usd;
    section.add(Entry{"USD per million samples", fmt::format("{:.3f}", usd)});
  }
  if (!energy.complete_joules()) {
    section.add(fmt::format("known for {:.1f}% of the bound's time; measure the rest with --energy",
                            100 * energy.known_seconds / energy.seconds));
  }
  section.add(
      "Of the whole device, idle power included, while each call is repeated without a pause.");
  section.add(energy_layers_sheet(subject, times, energy));
  return section;
}

std::optional<Section> energy_in_report(const Subject& subject) {
  return energy_section_of(subject, 0);
}

void energy_answer(const EnergyOptions& options) {
  const Inputs inputs = read_inputs(options.common);
  const Page page = page_of("energy", inputs, [&](const Subject& subject) {
    complete_times(subject);
    return energy_section_of(subject, options.usd_per_kwh);
  });
  if (page.sections.empty()) {
    throw Error("these results have no energy: measure with bench_<backend> --energy");
  }
  print(page, inputs);
}

Action ask_energy(Flags& flags) {
  const auto options = std::make_shared<EnergyOptions>();
  add_common_flags(flags, options->common);
  add_sequence_flag(flags, options->common);
  flags.add("--usd-per-kwh", options->usd_per_kwh, 0, 1e6,
            "Price of electricity: adds USD per million samples");
  return [options] { energy_answer(*options); };
}

}  // namespace

Question energy_question() {
  return {.name = "energy",
          .help = "Joules of a run, layer by layer",
          .section = energy_in_report,
          .ask = ask_energy,
          .chapter = "energy",
          .place = 70};
}

}  // namespace benanza::analysis
