// benanza-analyze calls: the calls of a bound in their order, by name. bench_* --sequence times
// them one after the other.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/model/fusion.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

struct CallsOptions {
  CommonFlags common;
  bool fused = false;
  std::string out;
};

/// What is done at a time: one layer, or those of a fusion.
struct BoundStep {
  /// Its first layer.
  std::size_t layer = 0;
  LayerTime time;
};

std::vector<BoundStep> steps_of(const Subject& subject, bool fused) {
  std::vector<LayerTime> layers = complete_times(subject);
  std::vector<BoundStep> steps;
  if (!fused) {
    for (LayerTime& time : layers) steps.push_back({steps.size(), std::move(time)});
    return steps;
  }
  const auto fusions = fusion_times(subject.graph, subject.measurements(), subject.filter);
  const Cover cover = fusion_cover(subject.graph, layers, fusions, subject.movement());
  FusedGraph joined = fused_graph(subject.graph, layers, fusions, cover.pieces);
  for (LayerTime& time : joined.times) steps.push_back({layers.size(), std::move(time)});
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    std::size_t& first = steps[joined.place[layer]].layer;
    first = std::min(first, layer);
  }
  return steps;
}

Section calls_section_of(const Subject& subject, bool fused) {
  const std::vector<BoundStep> steps = steps_of(subject, fused);
  Section section = model_section(subject.graph, subject.filter, subject.movement());
  struct Call {
    const Layer* layer;
    const Measurement* measured;
  };
  std::vector<Call> calls;
  double seconds = 0;
  bool partial = false;
  for (const BoundStep& step : steps) {
    partial = partial || lacks_time(step.time, subject.movement());
    if (!is_counted(step.time, subject.movement())) continue;
    for (const Measurement* const call : step.time.calls) {
      calls.push_back({&subject.graph.layers[step.layer], call});
      seconds += call->seconds();
    }
  }
  section.facts["fused"] = fused;
  section.facts["seconds"] = seconds;
  section.facts["partial"] = partial;
  section.add(Entry{"calls", std::to_string(calls.size())});
  section.add(Entry{"sum", fmt::format("{:.3f} ms{}", seconds * 1e3, partial ? "  PARTIAL" : "")});
  const Table<Call> table{
      {"layer", "layer", [](const Call& one) { return one.layer->name; }, name_width},
      {"op", "op", [](const Call& one) { return one.layer->op; }},
      {"us", "seconds", micro, [](const Call& one) { return one.measured->seconds(); }},
      {"call", "call", [](const Call& one) { return one.measured->variant; }, any_width}};
  section.add(table.sheet(
      calls, {.name = "calls", .caption = "calls, in the order of the model", .all_rows = true}));
  return section;
}

void calls_answer(const CallsOptions& options) {
  const Inputs inputs = read_inputs(options.common);
  const Page page = page_of("calls", inputs, [&](const Subject& subject) {
    return std::optional(calls_section_of(subject, options.fused));
  });
  if (options.out.empty()) return print(page, inputs);
  if (page.sections.size() != 1) {
    throw Error("--out: one model at one precision at a time, and these are " +
                std::to_string(page.sections.size()));
  }
  write_file(options.out, page_text(page, "json", 0));
}

Action ask_calls(Flags& flags) {
  const auto options = std::make_shared<CallsOptions>();
  add_common_flags(flags, options->common);
  flags.add("--fused", options->fused, "Those of the bound with fusion");
  flags.add("--out", options->out, "Write them here, for bench_<backend> --sequence", "FILE");
  return [options] { calls_answer(*options); };
}

}  // namespace

Question calls_question() {
  return {.name = "calls",
          .help = "The calls of the bound in their order, to be timed as one",
          .ask = ask_calls};
}

}  // namespace benanza::analysis
