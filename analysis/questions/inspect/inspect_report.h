#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/inspect/inspection.h"
#include "analysis/profiles/api_log/api_log.h"

namespace benanza::analysis {

/// One profile beside its model.
struct InspectReport {
  const Graph* graph = nullptr;
  std::shared_ptr<const Profile> profile{};
  Inspection inspection{};
  /// Of the libraries' API logs; may be empty.
  std::vector<LibraryCall> calls{};
  /// Per layer the call that does it, where there are calls.
  std::vector<std::optional<std::size_t>> call_of_layer{};
};

/// "53 of 54 layers have their operator, ...": how well the run fits the model.
std::string alignment_text(const Quality& quality);

/// For people: what was found in all, the most expensive findings, the longest waits, and the calls
/// of the API logs. `rows` bounds each of the last three.
std::string inspect_table(const std::vector<InspectReport>& reports, std::size_t rows);
/// For programs: {"schema": 1, "command": "inspect", "reports": [...]}; unknown is null.
std::string inspect_json(const std::vector<InspectReport>& reports);
/// One row a finding, after a row of column names.
std::string inspect_csv(const std::vector<InspectReport>& reports);

}  // namespace benanza::analysis
