#include "suites/harness/choose/case_plan.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/problem/name.h"

namespace benanza::harness {
namespace {

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

/// The case, once for each precision.
std::vector<Case> of_each_precision(const Case& one, const Registration& registration,
                                    const Selection& selection) {
  const std::vector<Precision>& asked = selection.precisions;
  if (one.precision) {
    if (!asked.empty() && !contains(asked, *one.precision)) return {};
    return {one};
  }
  std::vector<Case> all;
  for (const Precision precision : asked.empty() ? registration.precisions : asked) {
    all.push_back(one);
    all.back().precision = precision;
  }
  return all;
}

/// The case, once for each layout if each counts for itself.
std::vector<Case> of_each_layout(Case one, const Backend& backend, const Selection& selection) {
  const std::vector<Layout>& asked = selection.layouts;
  const auto is_asked = [&](Layout layout) { return asked.empty() || contains(asked, layout); };
  if (one.layout && !is_asked(*one.layout)) return {};
  if (!std::exchange(one.every_layout, false)) return {one};
  const std::vector<Layout> layouts = backend.layouts(one.problem);
  if (layouts.empty()) return {one};
  std::vector<Case> all;
  for (const Layout layout : layouts) {
    if (!is_asked(layout)) continue;
    all.push_back(one);
    all.back().layout = layout;
  }
  return all;
}

Selection selection_of(const Case& one, const Selection& selection) {
  Selection own = selection;
  own.problems = {key(one.problem)};
  own.stored_problems.clear();
  own.recorded.clear();
  own.precisions = {one.precision.value()};
  if (one.layout) own.layouts = {*one.layout};
  own.algorithm = one.algorithm;
  own.problems_per_operator = 0;
  own.filter.clear();
  own.shard = {};
  return own;
}

/// Lets the backend answer for later cases while it is asked about the first.
void announce(Backend& backend, std::span<const Case> cases, const Selection& selection) {
  if (selection.only_known || selection.layout_of_library) return;
  for (const Case& one : cases) {
    for (const Layout layout : backend.layouts(one.problem)) {
      if (one.layout && layout != *one.layout) continue;
      backend.prefetch_algorithms({one.problem, one.precision.value(), layout, {}},
                                  selection.algorithms);
    }
  }
}

/// The row, among at least one, that best says why the case does not hold.
const CaseRow& telling(std::span<const CaseRow> rows, Expectation expected) {
  const auto is_bad = [](const CaseRow& row) {
    return row.status == Status::incorrect || row.status == Status::failed;
  };
  const auto is_ok = [](const CaseRow& row) { return row.status == Status::ok; };
  auto found = std::ranges::find_if(rows, is_bad);
  const bool is_about_refusals = expected == Expectation::unsupported;
  if (found == rows.end() && is_about_refusals) found = std::ranges::find_if(rows, is_ok);
  return found == rows.end() ? rows.front() : *found;
}

/// The algorithms that the library has, with a space between them. Rows without one are refusals.
std::string offered(std::span<const CaseRow> rows) {
  std::vector<std::string> names;
  for (const CaseRow& row : rows) {
    std::string name = parse_variant_name(row.name).algorithm;
    if (name != "none" && !contains(names, name)) names.push_back(std::move(name));
  }
  return text::join(names, " ");
}

bool holds(const Case& one, std::span<const CaseRow> rows) {
  const auto is = [&](Status status) {
    return [&, status](const CaseRow& row) {
      return row.status == status && row.reason.find(one.reason) != std::string::npos;
    };
  };
  const auto is_bad = [](const CaseRow& row) {
    return row.status == Status::incorrect || row.status == Status::failed;
  };
  switch (one.expected) {
    case Expectation::ok:
      return std::ranges::none_of(rows, is_bad) &&
             std::ranges::any_of(rows, [](const CaseRow& row) { return row.status == Status::ok; });
    case Expectation::ok_if_supported:
      return std::ranges::none_of(rows, is_bad);
    case Expectation::unsupported:
      return !rows.empty() && std::ranges::all_of(rows, is(Status::unsupported));
    case Expectation::incorrect:
      return std::ranges::any_of(rows, is(Status::incorrect));
    case Expectation::failed:
      return std::ranges::any_of(rows, is(Status::failed));
    case Expectation::no_way:
      return rows.empty();
    case Expectation::offers:
      return offered(rows) == one.reason;
  }
  return false;
}

}  // namespace

CasePlan plan_cases(Backend& backend, const Registration& registration, const Selection& selection,
                    std::span<const Case> cases) {
  const NameFilter filter(selection.filter);
  std::vector<Case> all;
  for (const Case& one : cases) {
    if (!filter.may_match(key(one.problem) + '/')) continue;
    for (const Case& of_precision : of_each_precision(one, registration, selection)) {
      std::ranges::copy(of_each_layout(of_precision, backend, selection), std::back_inserter(all));
    }
  }
  announce(backend, all, selection);
  CasePlan plan;
  std::set<std::string> known;
  for (Case& one : all) {
    std::vector<NamedVariant> variants =
        enumerate(backend, registration, selection_of(one, selection));
    const bool has_variants = !variants.empty();
    std::erase_if(variants, [&](const NamedVariant& each) { return !filter.matches(each.name); });
    if (has_variants && variants.empty()) continue;
    PlannedCase planned{.one = std::move(one), .names = {}};
    for (NamedVariant& variant : variants) {
      planned.names.push_back(variant.name);
      if (known.insert(variant.name).second) plan.variants.push_back(std::move(variant));
    }
    plan.cases.push_back(std::move(planned));
  }
  return plan;
}

std::optional<std::string> unexpected(const Case& one, std::span<const CaseRow> rows) {
  if (holds(one, rows)) return std::nullopt;
  std::string line = place_of(one) + ": " + text_of(one) + ": ";
  if (rows.empty()) return line + "no way";
  if (one.expected == Expectation::offers) {
    if (const std::string names = offered(rows); !names.empty()) return line + "offers " + names;
  }
  const CaseRow& row = telling(rows, one.expected);
  line += to_string(row.status);
  if (!row.reason.empty()) line += ": " + row.reason;
  return line + " (" + row.name + ')';
}

std::vector<std::string> unexpected(
    std::span<const PlannedCase> cases,
    const std::function<std::vector<CaseRow>(const std::string&)>& rows_of) {
  std::vector<std::string> lines;
  for (const PlannedCase& planned : cases) {
    std::vector<CaseRow> rows;
    for (const std::string& name : planned.names) {
      std::ranges::copy(rows_of(name), std::back_inserter(rows));
    }
    if (auto line = unexpected(planned.one, rows)) lines.push_back(*std::move(line));
  }
  return lines;
}

}  // namespace benanza::harness
