#include "core/base/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"

namespace benanza {
namespace {

/// Owns zlib's state.
class Inflater {
 public:
  Inflater() {
    constexpr int gzip_header = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_header) != Z_OK) throw Error("zlib does not start");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view bytes) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::string text;
  std::string chunk(std::size_t{1} << 18, '\0');
  // zlib's interface is not const; it does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  std::size_t left = bytes.size();
  while (true) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto given = static_cast<uInt>(std::min(left, most));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    left -= given - stream.avail_in;
    const std::size_t written = chunk.size() - stream.avail_out;
    text.append(chunk, 0, written);
    if (status == Z_STREAM_END) {
      if (left == 0) return text;
      if (inflateReset(&stream) != Z_OK) throw Error("is a damaged gzip file");
    } else if (status == Z_BUF_ERROR || (status == Z_OK && left == 0 && written < chunk.size())) {
      throw Error("is a gzip file cut short");
    } else if (status != Z_OK) {
      throw Error("is a damaged gzip file");
    }
  }
}

std::uint32_t checksum(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()));
}

}  // namespace benanza
