#include "suites/harness/run/row_guard.h"

#include "suites/harness/run/runner.h"

namespace benanza::harness {

RowGuard::RowGuard(CrashGuard& crash, std::string_view backend, const std::string& place,
                   const std::function<Row(std::string_view reason)>& row_of)
    : crash_(crash) {
  const auto words = [&](const std::string& what, std::string_view reason) {
    return CrashGuard::Words{row_text(row_of(reason)),
                             "bench_" + std::string(backend) + ": " + what + ' ' + place +
                                 "; start again with the same flags to go on without it"};
  };
  crash.expect(words("crashed", crashed_reason), words("hung", hung_reason));
}

}  // namespace benanza::harness
