#pragma once

#include <string>
#include <string_view>

namespace benanza {

/// True if `bytes` begin as a gzip file does.
bool is_gzip(std::string_view bytes);

/// What the gzip file `bytes` holds, all of its members. Throws Error: cut short, or damaged.
std::string gunzip(std::string_view bytes);

}  // namespace benanza
