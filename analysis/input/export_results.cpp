#include "analysis/input/export_results.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/write_rows.h"

namespace benanza::analysis {
namespace {

namespace fs = std::filesystem;

void write_backend(Database& database, const Origin& origin, const fs::path& path) {
  const fs::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  try {
    std::ofstream out(temporary, std::ios::binary);
    RowWriter writer(out, {{"executable", "benanza-analyze db export"}}, origin);
    database.all(origin.backend, [&](Row&& row) { writer.add(row); });
    writer.finish();
    out.close();
    if (!out) throw Error(path.string() + ": cannot write: " + std::strerror(errno));
    fs::rename(temporary, path);
  } catch (const fs::filesystem_error& error) {
    throw Error(path.string() + ": cannot write: " + error.code().message());
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace

std::vector<fs::path> export_results(Database& database, const fs::path& folder) {
  make_directories(folder);
  std::vector<fs::path> files;
  for (const Origin& origin : database.origins()) {
    files.push_back(folder / (origin.backend + ".json"));
    write_backend(database, origin, files.back());
  }
  return files;
}

}  // namespace benanza::analysis
