#include "suites/harness/report/run_progress.h"

#include <utility>

namespace benanza::harness {

RunProgress::RunProgress(std::filesystem::path file, std::int64_t rows, std::int64_t before)
    : line_(rows - before), file_(std::move(file), rows, before) {}

void RunProgress::begin(std::string_view name) {
  file_.show(begun_ + left_out_);
  line_.show(begun_++, name);
}

}  // namespace benanza::harness
