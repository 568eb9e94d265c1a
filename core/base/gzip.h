#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace benanza {

/// True if `bytes` start with the magic number of gzip.
bool is_gzip(std::string_view bytes);

/// Decompresses the gzip file `bytes`, all of its members. Throws Error if it is truncated or
/// damaged.
std::string gunzip(std::string_view bytes);

/// CRC-32 of `bytes`, as gzip stores it (zlib.crc32 in Python).
std::uint32_t checksum(std::string_view bytes);

}  // namespace benanza
