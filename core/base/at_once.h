#pragma once

#include <cstddef>
#include <functional>

namespace benanza {

/// Runs `work` for every index below `count`, as many at a time as there are processors. Waits for
/// all of them; then throws what the one with the lowest index has thrown.
void at_once(std::size_t count, const std::function<void(std::size_t index)>& work);

}  // namespace benanza
