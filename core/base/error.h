#pragma once

#include <stdexcept>
#include <string>

namespace benanza {

/// An error that the user can act on: one line that says what, where and what to do. Programs print
/// it after their name and exit with a non-zero status.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace benanza
