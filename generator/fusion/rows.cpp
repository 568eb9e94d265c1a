#include "generator/fusion/rows.h"

#include <algorithm>
#include <map>

namespace benanza::fusion {
namespace {

/// True if every copy of the layer moves runs of `length` elements or a multiple of it.
bool moves_runs(const LoweredLayer& layer, std::int64_t length) {
  return !layer.calls.empty() && std::ranges::all_of(layer.calls, [&](const Call& call) {
    const auto* copy = std::get_if<Copy>(&call.problem.shape);
    return copy != nullptr && !call.is_proxy && !copy->dims.empty() && copy->from.back() == 1 &&
           copy->to.back() == 1 && copy->dims.back() % length == 0;
  });
}

bool picks(const LoweredLayer& layer) {
  return layer.cost == Cost::movement &&
         (layer.op == "Split" || layer.op == "Slice" || layer.op == "Gather");
}

class Picker {
 public:
  Picker(const Flow& flow, const std::vector<Rows>& rows) : flow_(flow), rows_(rows) {}

  std::vector<std::size_t> find() {
    for (const Rows& rows : rows_) look_before(rows);
    for (const auto& [layer, pick] : picks_) {
      // Only if all results are rows that the call reads.
      if (flow_.layer(layer).uses != pick.reads) continue;
      layers_.push_back(layer);
      layers_.insert(layers_.end(), pick.views.begin(), pick.views.end());
      if (const auto source = flow_.layer(layer).reads[0].producer) ++reads_of_[*source];
    }
    for (const auto& [source, reads] : reads_of_) take_transposition(source, reads);
    return std::move(layers_);
  }

 private:
  struct Pick {
    int reads = 0;
    std::vector<std::size_t> views;
  };

  void look_before(const Rows& rows) {
    const auto& reads = flow_.layer(rows.reader).reads;
    if (rows.operand >= reads.size()) return;
    std::vector<std::size_t> views;
    auto made = reads[rows.operand].producer;
    while (made && flow_.layer(*made).uses == 1 && flow_.passes_on(*made)) {
      views.push_back(*made);
      made = flow_.layer(*made).reads[0].producer;
    }
    if (!made || !picks(flow_.layer(*made)) || !moves_runs(flow_.layer(*made), rows.length)) return;
    Pick& pick = picks_[*made];
    ++pick.reads;
    pick.views.insert(pick.views.end(), views.begin(), views.end());
  }

  /// Takes the transposition if its result, or a view of it, is read only by `reads` picks.
  void take_transposition(std::size_t source, int reads) {
    if (flow_.layer(source).uses != reads) return;
    std::vector<std::size_t> taken{source};
    while (flow_.passes_on(taken.back())) {
      const auto before = flow_.layer(taken.back()).reads[0].producer;
      if (!before || flow_.layer(*before).uses != 1) return;
      taken.push_back(*before);
    }
    if (!moves_whole_rows(flow_.layer(taken.back()))) return;
    layers_.insert(layers_.end(), taken.begin(), taken.end());
  }

  const Flow& flow_;
  const std::vector<Rows>& rows_;
  std::map<std::size_t, Pick> picks_;
  /// How many picks read a layer's result.
  std::map<std::size_t, int> reads_of_;
  std::vector<std::size_t> layers_;
};

}  // namespace

bool moves_whole_rows(const LoweredLayer& layer) {
  if (layer.op != "Transpose" || layer.calls.size() != 1) return false;
  const auto* copy = std::get_if<Copy>(&layer.calls[0].problem.shape);
  return copy != nullptr && copy->dims.size() > 1 && copy->from.back() == 1 && copy->to.back() == 1;
}

std::vector<std::size_t> layers_that_pick(const Flow& flow, const std::vector<Rows>& rows) {
  return Picker(flow, rows).find();
}

}  // namespace benanza::fusion
