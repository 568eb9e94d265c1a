#include "analysis/questions/compare/changes.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <set>

#include "analysis/model/selection.h"
#include "analysis/model/spread.h"

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

bool has_both(const Change& change) { return change.before != nullptr && change.after != nullptr; }

ProcessSpread process_spread_in(const std::vector<Change>& calls) {
  std::vector<const Measurement*> measured;
  std::vector<double> log_ratios;
  for (const Change& call : calls) {
    if (!has_both(call)) continue;
    measured.insert(measured.end(), {call.before, call.after});
    log_ratios.push_back(std::log(*call.ratio()));
  }
  return process_spread(measured, log_ratios);
}

/// The logarithm of a change's ratio.
std::optional<Uncertain> log_ratio(const Change& change, const ProcessSpread& usual) {
  const auto before = log_time_of(*change.before, usual);
  const auto after = log_time_of(*change.after, usual);
  if (!before || !after) return std::nullopt;
  return difference(*after, *before);
}

double drift_of(const std::vector<Change>& calls) {
  std::vector<double> ratios;
  for (const Change& call : calls) {
    if (const auto ratio = call.ratio()) ratios.push_back(*ratio);
  }
  return ratios.size() < least_calls_of_drift ? 1 : median(ratios);
}

/// True if one of the two times is of one process.
bool is_of_one_process(const Change& change) {
  return has_both(change) && (change.before->process_seconds().size() < 2 ||
                              change.after->process_seconds().size() < 2);
}

/// The least ratio that a table of so many rows, each of one process, tells from chance.
double told_from(const ProcessSpread& usual, std::size_t rows, double tolerance) {
  const boost::math::students_t of_ratio(2 * usual.degrees);
  const double level = false_alarm_level / 2 / static_cast<double>(rows);
  const double errors = boost::math::quantile(boost::math::complement(of_ratio, level));
  return (1 + tolerance) * std::exp(errors * std::sqrt(2.0) * usual.deviation);
}

/// moderate(), without the ratios whose error is the usual one: those are equal already.
void moderate_measured(const std::vector<Change>& table, const std::vector<std::size_t>& tested,
                       std::vector<Uncertain>& ratios) {
  std::vector<Uncertain> measured;
  const auto is_measured = [&](std::size_t i) { return !is_of_one_process(table[tested[i]]); };
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (is_measured(i)) measured.push_back(ratios[i]);
  }
  moderate(measured);
  auto next = measured.begin();
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (is_measured(i)) ratios[i] = *next++;
  }
}

/// Sets the verdicts of all rows of one table.
void judge(std::vector<Change>& table, const ProcessSpread& usual, double tolerance, double drift) {
  const double limit = std::log1p(tolerance);
  const auto distance = [&](const Change& change) { return std::log(*change.ratio() / drift); };
  std::vector<std::size_t> tested;
  std::vector<Uncertain> ratios;
  for (std::size_t row = 0; row < table.size(); ++row) {
    Change& change = table[row];
    if (!has_both(change)) {
      change.kind = change.before == nullptr ? ChangeKind::gained : ChangeKind::lost;
      continue;
    }
    if (std::abs(distance(change)) > limit) change.kind = ChangeKind::unknown;
    if (const std::optional<Uncertain> ratio = log_ratio(change, usual)) {
      tested.push_back(row);
      ratios.push_back(*ratio);
    }
  }
  moderate_measured(table, tested, ratios);
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    Change& change = table[tested[i]];
    const Interval interval = ratios[i].interval();
    change.spread = {std::exp(interval.low), std::exp(interval.high)};
    const Uncertain either{.value = std::abs(distance(change)),
                           .standard_error = ratios[i].standard_error,
                           .degrees = ratios[i].degrees};
    probabilities.push_back(std::min(1.0, 2 * either.probability_above(limit)));
  }
  const std::vector<double> adjusted = holm_adjusted(probabilities);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    Change& change = table[tested[i]];
    if (adjusted[i] > false_alarm_level) continue;
    change.kind = *change.ratio() > drift ? ChangeKind::slower : ChangeKind::faster;
  }
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
    case ChangeKind::unknown:
      return "unknown";
    case ChangeKind::same:
      return "same";
  }
  return "";
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
                const std::set<std::string, std::less<>>& keep_residual) {
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
    const std::set<std::string> backends = common_backends(old_rows, new_rows);
    if (backends.empty()) {
      ++result.other_backends;
      continue;
    }
    add_calls(old_rows, new_rows, result.calls);
    MeasurementFilter allowed = filter;
    allowed.overwrites_residual = filter.overwrites_residual && !keep_residual.contains(key);
    add_problem(std::string(key), best_of(backends, key, before, allowed),
                best_of(backends, key, after, allowed), result.problems);
  }
  result.drift = drift_of(result.calls);
  const ProcessSpread usual = process_spread_in(result.calls);
  judge(result.problems, usual, tolerance, result.drift);
  judge(result.calls, usual, tolerance, result.drift);
  if (std::ranges::any_of(result.calls, is_of_one_process)) {
    result.told_from = told_from(usual, result.calls.size(), tolerance);
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
