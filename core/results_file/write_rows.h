#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "core/results_file/origin.h"
#include "core/results_file/row.h"

namespace benanza {

/// Writes a results file row by row, one line each. Whether `out` could take it is for its owner to
/// ask.
class RowWriter {
 public:
  /// `context`: members beside the origin's, which must be the last to write "benanza".
  RowWriter(std::ostream& out, nlohmann::ordered_json context, const Origin& origin);
  void add(const Row& row, const RowPosition& position = {});
  /// Once, after the last row.
  void finish();

 private:
  std::ostream& out_;
  const char* separator_ = "\n";
};

/// {"schema", "backend", "system"}: what an origin is in a file.
nlohmann::ordered_json origin_json(const Origin& origin);

}  // namespace benanza
