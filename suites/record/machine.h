#pragma once

#include <string>

namespace benanza::record {

/// "Intel(R) Xeon(R) ..., 32 threads, Linux 6.1.0 x86_64"; no name of the machine.
std::string machine();

}  // namespace benanza::record
