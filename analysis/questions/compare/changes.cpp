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

ChangeKind kind_of(const Change& change, double tolerance) {
  if (change.before == nullptr) return ChangeKind::gained;
  if (change.after == nullptr) return ChangeKind::lost;
  const double ratio = *change.ratio();
  if (ratio > 1 + tolerance && (!change.spread || change.spread->low > 1))
    return ChangeKind::slower;
  if (ratio * (1 + tolerance) < 1 && (!change.spread || change.spread->high < 1)) {
    return ChangeKind::faster;
  }
  return ChangeKind::same;
}

Change judged(Change change, double tolerance) {
  if (change.before != nullptr && change.after != nullptr &&
      std::abs(std::log(*change.ratio())) > std::log1p(tolerance)) {
    change.spread = ratio_interval(change.after->groups(), change.before->groups());
  }
  change.kind = kind_of(change, tolerance);
  return change;
}

std::string why_not(const Measurement& row) {
  return std::string(to_string(row.status)) + (row.reason.empty() ? "" : ": " + row.reason);
}

bool of_backend(const Rows& rows, const std::string& backend) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Measurement* row) { return row->variant.backend == backend; });
}

const Measurement* same_call(const Rows& rows, const VariantName& variant) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Measurement* row) { return row->variant == variant; });
  return found == rows.end() ? nullptr : *found;
}

/// `here` and `there`: one row of the same call in each set, or null in one of them.
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

void add_calls(const Rows& before, const Rows& after, double tolerance,
               std::vector<Change>& calls) {
  const auto add = [&](const Measurement* old_row, const Measurement* new_row) {
    if (auto change = change_of_call(old_row, new_row)) {
      calls.push_back(judged(*std::move(change), tolerance));
    }
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

void add_problem(const std::string& key, const Selected& before, const Selected& after,
                 double tolerance, std::vector<Change>& problems) {
  if (before.best == nullptr && after.best == nullptr) return;
  Change change{.key = key, .before = before.best, .after = after.best};
  if (before.best == nullptr) change.reason = before.reason;
  if (after.best == nullptr) change.reason = after.reason;
  problems.push_back(judged(std::move(change), tolerance));
}

void sort(std::vector<Change>& changes) {
  const auto size = [](const Change& change) {
    const auto ratio = change.ratio();
    return ratio ? std::abs(std::log(*ratio)) : 0.0;
  };
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    return size(a) > size(b);
  });
}

}  // namespace

std::string_view to_string(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::lost:
      return "lost";
    case ChangeKind::slower:
      return "slower";
    case ChangeKind::gained:
      return "gained";
    case ChangeKind::faster:
      return "faster";
    case ChangeKind::same:
      return "same";
  }
  return "";
}

std::optional<double> Change::ratio() const {
  if (before == nullptr || after == nullptr) return std::nullopt;
  return after->seconds() / before->seconds();
}

Changes changes(const MeasurementSet& before, const MeasurementSet& after,
                const MeasurementFilter& filter, double tolerance) {
  std::set<std::string_view> keys;
  for (const MeasurementSet* set : {&before, &after}) {
    for (const std::string_view key : set->keys()) keys.insert(key);
  }
  Changes result;
  for (const std::string_view key : keys) {
    const Rows old_rows = admitted(key, before, filter);
    const Rows new_rows = admitted(key, after, filter);
    if (old_rows.empty() && new_rows.empty()) continue;
    if (old_rows.empty() || new_rows.empty()) {
      ++(old_rows.empty() ? result.only_after : result.only_before);
      continue;
    }
    add_calls(old_rows, new_rows, tolerance, result.calls);
    add_problem(std::string(key), select_measurement(key, before, filter, filter.precision),
                select_measurement(key, after, filter, filter.precision), tolerance,
                result.problems);
  }
  sort(result.problems);
  sort(result.calls);
  return result;
}

ChangeTotals totals(const std::vector<Change>& changes) {
  ChangeTotals totals;
  std::vector<double> ratios;
  for (const Change& change : changes) {
    ++totals.counts[static_cast<std::size_t>(change.kind)];
    if (const auto ratio = change.ratio()) ratios.push_back(*ratio);
  }
  totals.compared = ratios.size();
  if (!ratios.empty()) totals.median_ratio = median(ratios);
  return totals;
}

}  // namespace benanza::analysis
