#pragma once

#include <cstddef>

namespace benanza::nvidia {

/// A parameter struct of CUPTI with its size set.
template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}

}  // namespace benanza::nvidia
