#pragma once

#include <string>

namespace benanza::record {

/// E.g. "Intel(R) Xeon(R) ..., 32 threads, Linux 6.1.0 x86_64"; without the host name.
std::string machine();

}  // namespace benanza::record
