#pragma once

#include <filesystem>
#include <vector>

#include "core/problem/precision.h"
#include "generator/lowered/lowered.h"

namespace benanza::emit {

/// A graph and whether its batch is part of its file's name.
struct GraphFile {
  LoweredGraph graph;
  bool batch_in_name = false;
};

/// "resnet.graph.json" or "resnet_b8.graph.json".
std::string file_name(const GraphFile& file);

/// Writes problems.cpp, tests.cmake and one graph.json per graph into `folder`, and removes the
/// graph.json files of models that are no longer given. Files whose content stays are left alone.
/// Throws Error before anything is written if two graphs would share a file.
void write_files(const std::filesystem::path& folder, const std::vector<GraphFile>& files,
                 const std::vector<Precision>& precisions);

/// tests.cmake: which operators, precisions and graphs there are tests for.
std::string tests_cmake(const std::vector<std::string>& operators,
                        const std::vector<Precision>& precisions,
                        const std::vector<std::string>& graphs);

}  // namespace benanza::emit
