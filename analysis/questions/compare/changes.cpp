#include "analysis/questions/compare/changes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/model/selection.h"

namespace benanza::analysis {
namespace {

using Rows = std::vector<const Measurement*>;

Rows admitted(std::string_view key, const MeasurementSet& set, const MeasurementFilter& filter) {
  Rows rows;
  for (const Measurement& row : set.find(key)) {
    if (admits(filter, filter.precision, row)) rows.push_back(&row);
  }
  return rows;
}

std::string why_not(const Measurement& row) {
  return std::string(to_string(row.status)) + (row.reason.empty() ? "" : ": " + row.reason);
}

bool of_backend(const Rows& rows, const std::string& backend) {
  return std::ranges::any_of(
      rows, [&](const Measurement* row) { return row->variant.backend == backend; });
}

const Measurement* same_call(const Rows& rows, const VariantName& variant) {
  const auto found =
      std::ranges::find_if(rows, [&](const Measurement* row) { return row->variant == variant; });
  return found == rows.end() ? nullptr : *found;
}

/// `before` and `after`: the rows of the same call in each set; one of them may be null.
std::optional<Change> change_of_call(const Measurement* before, const Measurement* after) {
  const auto ok = [](const Measurement* row) {
    return row != nullptr && row->status == Status::ok;
  };
  if (!ok(before) && !ok(after)) return std::nullopt;
  Change change{.key = (before != nullptr ? before : after)->variant.key,
                .before = ok(before) ? before : nullptr,
                .after = ok(after) ? after : nullptr};
  if (change.before != nullptr && change.after != nullptr) return change;
  const Measurement* missing = change.before == nullptr ? before : after;
  change.reason = missing == nullptr ? "not there" : why_not(*missing);
  return change;
}

void add_calls(const Rows& before, const Rows& after, std::vector<Change>& calls) {
  const auto add = [&](const Measurement* old_row, const Measurement* new_row) {
    if (auto change = change_of_call(old_row, new_row)) calls.push_back(*std::move(change));
  };
  for (const Measurement* row : before) {
    if (of_backend(after, row->variant.backend)) add(row, same_call(after, row->variant));
  }
  for (const Measurement* row : after) {
    if (same_call(before, row->variant) == nullptr && of_backend(before, row->variant.backend)) {
      add(nullptr, row);
    }
  }
}

/// Backends with rows in both sets.
std::set<std::string> common_backends(const Rows& before, const Rows& after) {
  std::set<std::string> backends;
  for (const Measurement* row : before) {
    if (of_backend(after, row->variant.backend)) backends.insert(row->variant.backend);
  }
  return backends;
}

/// The fastest call of these backends.
Selected best_of(const std::set<std::string>& backends, std::string_view key,
                 const MeasurementSet& set, MeasurementFilter filter) {
  Selected best;
  for (const std::string& backend : backends) {
    filter.backends = {backend};
    const Selected own = select_measurement(key, set, filter, filter.precision);
    const bool faster =
        own.best != nullptr && (best.best == nullptr || own.best->seconds() < best.best->seconds());
    if (faster || best.best == nullptr) best = own;
  }
  return best;
}

void add_problem(const std::string& key, const Selected& before, const Selected& after,
                 std::vector<Change>& problems) {
  if (before.best == nullptr && after.best == nullptr) return;
  problems.push_back({.key = key,
                      .before = before.best,
                      .after = after.best,
                      .reason = before.best == nullptr  ? before.reason
                                : after.best == nullptr ? after.reason
                                                        : ""});
}

void sort(std::vector<Change>& changes) {
  const auto size = [](const Change& change) {
    const auto ratio = change.ratio();
    return ratio ? std::abs(std::log(*ratio)) : 0.0;
  };
  std::ranges::stable_sort(changes, [&](const Change& a, const Change& b) {
    if (a.with_common != b.with_common) return b.with_common;
    if (a.kind != b.kind) return a.kind < b.kind;
    return size(a) > size(b);
  });
}

/// Calls `add(key, rows before, rows after)` for every problem that `filter` admits rows of.
template <class Add>
void for_each_problem(const MeasurementSet& before, const MeasurementSet& after,
                      const MeasurementFilter& filter, const Add& add) {
  std::set<std::string_view> keys;
  for (const MeasurementSet* set : {&before, &after}) {
    for (const std::string_view key : set->keys()) keys.insert(key);
  }
  for (const std::string_view key : keys) {
    const Rows old_rows = admitted(key, before, filter);
    const Rows new_rows = admitted(key, after, filter);
    if (!old_rows.empty() || !new_rows.empty()) add(key, old_rows, new_rows);
  }
}

/// What calls of libraries whose version is the same tell of the machine, for those whose version
/// is another.
std::optional<Reference> by_other_libraries(const std::vector<CommonChange>& common,
                                            const Witnesses& witnesses) {
  std::optional<Reference> reference;
  for (const CommonChange& one : common) {
    if (!witnesses.unchanged.contains(one.backend) || !one.is_common() ||
        witnesses.other_machine.contains(one.backend)) {
      continue;
    }
    const Interval own{one.interval.low - process_error, one.interval.high + process_error};
    if (!reference) {
      reference = Reference{.name = "the same version of " + one.backend, .change = own};
      continue;
    }
    reference->name += " and of " + one.backend;
    reference->change = {std::min(reference->change.low, own.low),
                         std::max(reference->change.high, own.high)};
  }
  return reference;
}

void add_references(std::vector<CommonChange>& common, const std::vector<CommonChange>& all,
                    const Witnesses& witnesses) {
  const std::optional<Reference> others = by_other_libraries(all, witnesses);
  for (CommonChange& one : common) {
    one.same_version = witnesses.unchanged.contains(one.backend);
    const auto machine = witnesses.other_machine.find(one.backend);
    if (machine != witnesses.other_machine.end()) {
      one.other_machine = machine->second;
      continue;
    }
    const auto own = witnesses.references.find(one.backend);
    const bool has_own = own != witnesses.references.end();
    if (has_own) one.reference = own->second;
    // Anchors were taken beside these calls; peaks have no repetitions.
    if (others && witnesses.changed.contains(one.backend) && (!has_own || own->second.weak)) {
      one.reference = others;
    }
  }
}

/// The calls of all backends, whichever the filter admits.
std::vector<Change> calls_of_all_backends(const MeasurementSet& before, const MeasurementSet& after,
                                          MeasurementFilter filter) {
  filter.backends.clear();
  std::vector<Change> calls;
  for_each_problem(before, after, filter,
                   [&](std::string_view, const Rows& old_rows, const Rows& new_rows) {
                     add_calls(old_rows, new_rows, calls);
                   });
  return calls;
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  constexpr std::string_view names[] = {"lost", "slower", "gained", "faster", "unknown", "same"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<double> Change::ratio() const {
  if (before == nullptr || after == nullptr) return std::nullopt;
  return after->seconds() / before->seconds();
}

std::set<std::string, std::less<>> keeping_residual(const std::vector<Graph>& graphs) {
  std::set<std::string, std::less<>> keep;
  std::set<std::string, std::less<>> free;
  for (const Graph& graph : graphs) {
    for (const Fusion& fusion : graph.fusions) {
      for (const std::string& key : problems_of(fusion)) {
        (fusion.keeps_residual ? keep : free).insert(key);
      }
    }
  }
  std::erase_if(keep, [&](const std::string& key) { return free.contains(key); });
  return keep;
}

Changes changes(const MeasurementSet& before, const MeasurementSet& after,
                const MeasurementFilter& filter, double tolerance,
                const std::set<std::string, std::less<>>& keep_residual,
                const Circumstances& circumstances) {
  Changes result;
  for_each_problem(
      before, after, filter, [&](std::string_view key, const Rows& old_rows, const Rows& new_rows) {
        if (old_rows.empty() || new_rows.empty()) {
          ++(old_rows.empty() ? result.only_after : result.only_before);
          return;
        }
        const std::set<std::string> backends = common_backends(old_rows, new_rows);
        if (backends.empty()) {
          ++result.other_backends;
          return;
        }
        add_calls(old_rows, new_rows, result.calls);
        MeasurementFilter allowed = filter;
        allowed.overwrites_residual = filter.overwrites_residual && !keep_residual.contains(key);
        add_problem(std::string(key), best_of(backends, key, before, allowed),
                    best_of(backends, key, after, allowed), result.problems);
      });
  result.common = common_changes(result.calls, tolerance, circumstances);
  const Witnesses& witnesses = circumstances.witnesses;
  if (filter.backends.empty() || witnesses.unchanged.empty()) {
    add_references(result.common, result.common, witnesses);
  } else {
    add_references(
        result.common,
        common_changes(calls_of_all_backends(before, after, filter), tolerance, circumstances),
        witnesses);
  }
  for (CommonChange& one : result.common) judge_common(one, tolerance);
  const ProcessSpread usual = process_spread_in(result.calls);
  judge(result.problems, result.common, usual, tolerance, circumstances);
  if (std::ranges::any_of(result.calls, is_of_one_process)) {
    result.told_from = told_from(usual, result.calls.size(), tolerance, circumstances.level);
  }
  sort(result.problems);
  if (!circumstances.in_detail) return result;
  judge(result.calls, result.common, usual, tolerance, circumstances);
  sort(result.calls);
  return result;
}

double Changes::drift() const {
  const auto most = std::ranges::max_element(common, {}, &CommonChange::calls);
  if (most == common.end() || !most->reference) return 1;
  const Interval& change = most->reference->change;
  return std::exp((change.low + change.high) / 2);
}

ChangeTotals totals(const std::vector<Change>& changes) {
  ChangeTotals totals;
  std::vector<double> ratios;
  for (const Change& change : changes) {
    ++totals.counts[static_cast<std::size_t>(change.kind)];
    totals.with_common += change.with_common ? 1 : 0;
    if (const auto ratio = change.ratio()) ratios.push_back(*ratio);
  }
  totals.compared = ratios.size();
  if (!ratios.empty()) totals.median_ratio = median(ratios);
  return totals;
}

}  // namespace benanza::analysis
