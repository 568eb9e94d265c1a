// Sizes that fast calls do not take: layers that are faster with tensors padded by zeros, copies
// included.

#include <fmt/format.h>

#include <string_view>

#include "analysis/questions/findings/matter.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

bool is_padded(std::string_view pattern) { return pattern.starts_with("padded"); }

/// What the layers take if none of them may be padded.
std::vector<LayerTime> times_as_given(const Matter& matter) {
  Graph graph = matter.graph();
  std::erase_if(graph.fusions, [](const Fusion& one) { return is_padded(one.pattern); });
  return layer_times(graph, matter.subject().measurements(), matter.subject().filter);
}

/// "gemm/m8_n50257_k768_nn_w as gemm/m8_n50304_k768_nn_w, 52.9 us, padded 22.7 us".
std::string note_of(const LayerTime& given, const LayerTime& padded) {
  return fmt::format("{} as {}, {} us, padded {} us", given.calls.front()->variant.key,
                     padded.calls.front()->variant.key, microseconds(*given.seconds),
                     microseconds(*padded.seconds));
}

std::vector<Finding> padding(const Matter& matter) {
  const BoundReport& bound = matter.bound();
  std::vector<LayerTime> given;
  SavedCalls change;
  EqualProblems series;
  for (std::size_t layer = 0; layer < bound.times.size(); ++layer) {
    const LayerTime& padded = bound.times[layer];
    if (!is_padded(padded.fusion) || !is_counted(padded, bound.movement)) continue;
    if (given.empty()) given = times_as_given(matter);
    if (!given[layer].seconds || given[layer].calls.empty()) continue;
    change.add_before(given[layer]);
    change.add_after(padded);
    series.add({.layer = layer,
                .key = given[layer].calls.front()->variant.key,
                .seconds = *given[layer].seconds - *padded.seconds,
                .note = note_of(given[layer], padded)});
  }
  if (series.empty()) return {};
  Finding finding{
      .cause = "padding",
      .what = fmt::format("{} {} faster with tensors padded to sizes that fast calls take: {} with "
                          "the copies, {} without padding; most is gained in {}.",
                          series.size(), series.size() == 1 ? "layer is" : "layers are",
                          milliseconds(change.after_seconds()),
                          milliseconds(change.before_seconds()), series.worst_text(matter)),
      .layers = series.layers(),
      .gain_seconds = change.gain_seconds(),
      .interval = change.interval(),
      .affects = Affects::device,
      .leads_to_seconds = matter.least_seconds(),
      .plan = matter.plan(),
      .remedy = {"Pad the weights with zeros when the model is loaded. If layers before and behind "
                 "keep the padded size, the copies go as well.",
                 matter.ask("fusion", " --rows all")}};
  if (matter.run() == nullptr) {
    const double whole = bound.bounds.sequential.seconds + change.gain_seconds();
    finding.reference = Baseline{.name = "the bound without padding", .seconds = whole};
  } else {
    // Whether the framework's own code is as slow as the libraries' calls is not known.
    finding.certainty = Certainty::at_most;
  }
  return {std::move(finding)};
}

}  // namespace

FindingKind padding_kind() { return {padding}; }

}  // namespace benanza::analysis
