#include "record/capture/import_log.h"

#include <array>
#include <fstream>
#include <functional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/gzip.h"
#include "record/capture/line_filter.h"
#include "record/capture/source.h"

namespace benanza::record {
namespace {

constexpr const char* wanted = "; --log wants what ONEDNN_VERBOSE=1 printed";

std::string unpacked(const std::filesystem::path& log) {
  try {
    return gunzip(read_file(log));
  } catch (const Error& reason) {
    throw Error(log.string() + ": " + reason.what());
  }
}

/// Passes the file's bytes to `use`, unpacked.
void for_each_block(const std::filesystem::path& log,
                    const std::function<void(std::string_view bytes)>& use) {
  std::ifstream stream(log, std::ios::binary);
  if (!std::filesystem::is_regular_file(log) || !stream) {
    throw Error(log.string() + ": cannot be read" + wanted);
  }
  std::array<char, 65536> buffer{};
  bool is_first = true;
  while (stream.read(buffer.data(), buffer.size()), stream.gcount() > 0) {
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    if (is_first && is_gzip(bytes)) return use(unpacked(log));
    if (is_first && (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))) {
      throw Error(log.string() + ": is UTF-16: convert it to UTF-8");
    }
    is_first = false;
    use(bytes);
  }
}

ImportedLog read_log(const std::filesystem::path& log, const std::filesystem::path& out) {
  RecordingWriter writer(out, {});
  const auto all = sources();
  std::vector<std::string_view> markers;
  for (const auto& source : all) {
    for (const std::string_view marker : source->markers()) markers.push_back(marker);
  }
  ImportedLog imported;
  LineFilter filter(
      markers,
      [&](std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        for (const auto& source : all) {
          if (source->take(line, {}, {}, writer) != Taken::no) return true;
        }
        constexpr std::size_t shown = 80;
        if (imported.dropped == 0) imported.first_dropped = line.substr(0, shown);
        ++imported.dropped;
        return false;
      },
      [](std::string_view) {});
  for_each_block(log, [&](std::string_view bytes) { filter.feed(bytes); });
  filter.feed("\n");
  writer.flush();
  if (RecordingReader(out).totals().empty()) {
    const std::string broken =
        imported.dropped == 0 ? ""
                              : ", and what is broken, first \"" + imported.first_dropped + '"';
    throw Error(log.string() + ": holds no call" + broken + wanted);
  }
  return imported;
}

}  // namespace

ImportedLog import_log(const std::filesystem::path& log, const std::filesystem::path& out) {
  try {
    return read_log(log, out);
  } catch (...) {
    std::filesystem::remove(out);
    throw;
  }
}

}  // namespace benanza::record
