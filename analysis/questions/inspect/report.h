#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/questions/inspect/inspection.h"
#include "analysis/render/page.h"
#include "core/library/library_call.h"

namespace benanza::analysis {

/// One profile compared with its model.
struct InspectReport {
  const Graph* graph = nullptr;
  std::shared_ptr<const Profile> profile{};
  Inspection inspection{};
  /// Calls from the libraries' API logs; may be empty.
  std::vector<LibraryCall> calls{};
  /// Per layer, the index of the call that does it; only if there are calls.
  std::vector<std::optional<std::size_t>> call_of_layer{};
};

/// The report as text, JSON, CSV and HTML.
Section inspect_section(const InspectReport& report);

}  // namespace benanza::analysis
