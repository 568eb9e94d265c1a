#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// True if `bytes` start with the magic number of gzip.
bool is_gzip(std::string_view bytes);

/// Decompresses the gzip file `bytes`, all of its members. Throws Error if it is truncated or
/// damaged.
std::string gunzip(std::string_view bytes);

}  // namespace benanza
