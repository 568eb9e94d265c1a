#pragma once

#include <vector>

#include "models/zoo/zoo.h"

namespace benanza::zoo {

/// The models of all files under families/, concatenated. The build generates the definition from
/// the files in that folder.
std::vector<Model> families();

}  // namespace benanza::zoo
