#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/results_file/row.h"
#include "suites/harness/cases/case_file.h"
#include "suites/harness/choose/variants.h"

namespace benanza::harness {

/// What happened to a variant of a case.
struct CaseRow {
  std::string name;
  Status status = Status::ok;
  std::string reason;
};

/// A case of one precision, and the names of the variants that decide whether it holds.
struct PlannedCase {
  Case one;
  std::vector<std::string> names;
};

struct CasePlan {
  /// Of all cases, without duplicate names.
  std::vector<NamedVariant> variants;
  std::vector<PlannedCase> cases;
};

/// The selection's part of the cases: its precisions, layouts and filter narrow them; its problems
/// and its shard are ignored. A case without a precision has the selection's or, if it has none,
/// the registration's. Throws like enumerate().
CasePlan plan_cases(Backend& backend, const Registration& registration, const Selection& selection,
                    std::span<const Case> cases);

/// Nothing if what is expected of the case is what its rows say, otherwise a line that says what
/// happened: "FILE:LINE: relu/8 fp32 -> ok: unsupported: has no relu (NAME)".
std::optional<std::string> unexpected(const Case& one, std::span<const CaseRow> rows);

/// unexpected() of all cases. `rows_of`: the rows of the variant of that name.
std::vector<std::string> unexpected(
    std::span<const PlannedCase> cases,
    const std::function<std::vector<CaseRow>(const std::string&)>& rows_of);

}  // namespace benanza::harness
