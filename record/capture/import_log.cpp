#include "record/capture/import_log.h"

#include <array>
#include <fstream>

#include "core/base/error.h"
#include "record/capture/line_filter.h"
#include "record/capture/source.h"

namespace benanza::record {
namespace {

std::size_t read_log(const std::filesystem::path& log, const std::filesystem::path& out) {
  std::ifstream stream(log, std::ios::binary);
  if (!std::filesystem::is_regular_file(log) || !stream) {
    throw Error(log.string() + ": cannot be read; --log wants what ONEDNN_VERBOSE=1 printed");
  }
  RecordingWriter writer(out, {});
  const auto all = sources();
  std::vector<std::string_view> markers;
  for (const auto& source : all) {
    for (const std::string_view marker : source->markers()) markers.push_back(marker);
  }
  std::size_t dropped = 0;
  LineFilter filter(
      markers,
      [&](std::string_view line) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        for (const auto& source : all) {
          if (source->take(line, {}, {}, writer) != Taken::no) return true;
        }
        ++dropped;
        return false;
      },
      [](std::string_view) {});
  std::array<char, 65536> buffer;
  while (stream.read(buffer.data(), buffer.size()), stream.gcount() > 0) {
    filter.feed({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  }
  filter.feed("\n");
  writer.flush();
  if (RecordingReader(out).totals().empty()) {
    throw Error(log.string() + ": holds no call; --log wants what ONEDNN_VERBOSE=1 printed");
  }
  return dropped;
}

}  // namespace

std::size_t import_log(const std::filesystem::path& log, const std::filesystem::path& out) {
  try {
    return read_log(log, out);
  } catch (...) {
    std::filesystem::remove(out);
    throw;
  }
}

}  // namespace benanza::record
