#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"

namespace benanza {

/// Writes a results file row by row, one line each. The owner of `out` must check it for errors.
class RowWriter {
 public:
  /// `context`: its other members; the origin's peaks, anchors and "benanza" are added.
  RowWriter(std::ostream& out, nlohmann::ordered_json context, const Origin& origin);
  void add(const Row& row, const RowPosition& position = {});
  /// Call once, after the last row.
  void finish();

 private:
  std::ostream& out_;
  const char* separator_ = "\n";
};

/// {"schema", "backend", "system"}: the representation of an origin in a file.
nlohmann::ordered_json origin_json(const Origin& origin);

}  // namespace benanza
