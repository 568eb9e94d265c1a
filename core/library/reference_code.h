#pragma once

#include <string_view>

namespace benanza {

/// True if an implementation's name says that it is a library's reference code, which nobody has
/// made fast: one of its words is "ref", as in "ref:any", "ref_int8:any", "ocl:ref:any".
bool is_reference_code(std::string_view implementation);

}  // namespace benanza
