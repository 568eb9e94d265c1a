#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace benanza {

/// Keys of every problem that a model's .graph.json names, each once, in its order: of layers, of
/// fusions, and of changes of layout. Throws Error, one line, for a file that cannot be read or is
/// no such file.
std::vector<std::string> problems_of_model(const std::filesystem::path& graph);

}  // namespace benanza
