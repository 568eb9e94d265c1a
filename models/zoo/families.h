#pragma once

#include <vector>

#include "models/zoo/zoo.h"

namespace benanza::zoo {

/// The models of all files under families/, one after the other. The build writes
/// its definition: a file there is a family, nothing else lists it.
std::vector<Model> families();

}  // namespace benanza::zoo
