#pragma once

#include <memory>

#include "suites/harness/backend.h"

namespace benanza::example {

/// A library that knows one call: ReLU of floats, in a loop.
std::unique_ptr<Backend> make_backend();

}  // namespace benanza::example
