#pragma once

namespace benanza {

/// Fact of a row that is unsupported although the library has the call: it is known to compute
/// wrong results here, and is not made.
inline constexpr const char* known_defect_fact = "known_defect";

/// Fact of a row that failed because a signal ended the program in the call.
inline constexpr const char* crashed_fact = "crashed";

}  // namespace benanza
