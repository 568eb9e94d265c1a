#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/results_file/row.h"
#include "suites/harness/run/crash.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {

/// Scope guard around what may crash the program or hang: the journal then ends with a row that
/// says so, and standard error with where it happened and how to go on.
class RowGuard {
 public:
  /// `place`: "at NAME" of the variant. `row_of`: the row to leave.
  RowGuard(CrashGuard& crash, std::string_view backend, const std::string& place,
           const std::function<Row(Loss loss)>& row_of);
  RowGuard(const RowGuard&) = delete;
  RowGuard& operator=(const RowGuard&) = delete;
  ~RowGuard() { crash_.forget(); }

 private:
  CrashGuard& crash_;
};

}  // namespace benanza::harness
