#pragma once

#include <vector>

#include "record/store/recording.h"

namespace benanza {

/// Which calls belong to a search for an algorithm, as cuDNN's benchmark mode and XLA run it before
/// the first step: calls of a GPU in a row of one problem with at least three implementations.
/// `calls`: of one program, in order, without those that other calls made.
std::vector<bool> search_calls(const std::vector<const CallText*>& calls);

}  // namespace benanza
