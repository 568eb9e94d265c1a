#pragma once

#include <string_view>

#include "analysis/render/table.h"

namespace benanza::analysis {

/// The columns that say which step a row is of; a `Row` has its phase, and its value on() an axis.
template <class Row>
Table<Row> step_table() {
  const auto on = [](std::string_view axis) {
    return [axis](const Row& row) { return row.on(axis); };
  };
  return {{"step", "phase", &Row::phase},
          {"batch", "batch", on("batch")},
          {"past", "past", on("past")},
          {"new", "new", on("new")}};
}

}  // namespace benanza::analysis
