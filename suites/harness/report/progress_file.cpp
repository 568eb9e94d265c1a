#include "suites/harness/report/progress_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::harness {

ProgressFile::ProgressFile(std::filesystem::path path, std::int64_t rows, std::int64_t before)
    : path_(std::move(path)), rows_(rows), before_(before) {
  write(0);
}

void ProgressFile::show(std::int64_t done) {
  if (Clock::now() - written_ >= std::chrono::seconds(1)) write(done);
}

void ProgressFile::write(std::int64_t done) {
  if (path_.empty()) return;
  written_ = Clock::now();
  const nlohmann::ordered_json json{
      {"rows", rows_},
      {"before", before_},
      {"done", done},
      {"seconds", std::chrono::duration<double>(written_ - start_).count()}};
  try {
    write_file(path_, json.dump() + '\n');
  } catch (const Error&) {
    // A full disk is reported when results are written.
  }
}

}  // namespace benanza::harness
