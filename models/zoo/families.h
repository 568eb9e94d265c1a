#pragma once

#include <vector>

#include "models/zoo/zoo.h"

namespace benanza::zoo {

/// What the functions of all files under families/ return, one after the other. The build writes
/// its definition: a file there is a family, nothing else lists it.
std::vector<Model> families();

}  // namespace benanza::zoo
