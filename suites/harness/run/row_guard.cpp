#include "suites/harness/run/row_guard.h"

namespace benanza::harness {

RowGuard::RowGuard(CrashGuard& crash, std::string_view backend, const std::string& place,
                   const std::function<Row(Loss loss)>& row_of)
    : crash_(crash) {
  const auto words = [&](const std::string& what, Loss loss) {
    return CrashGuard::Words{row_text(row_of(loss)),
                             "bench_" + std::string(backend) + ": " + what + ' ' + place +
                                 "; start again with the same flags to go on without it"};
  };
  crash.expect(words("crashed", Loss::crashed), words("hung", Loss::hung));
}

}  // namespace benanza::harness
