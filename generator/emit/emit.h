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

/// The fate of graph files that an earlier call wrote and this one does not.
enum class OldGraphs { keep, remove };

/// Writes problems.cpp, tests.cmake and one graph.json per graph into `folder`; problems.cpp and
/// tests.cmake then speak of these graphs alone. `remove` takes away the graph files that the
/// tests.cmake found there lists, no others. Files whose content stays are left alone. Throws Error
/// before anything is written if two graphs would share a file.
void write_files(const std::filesystem::path& folder, const std::vector<GraphFile>& files,
                 const std::vector<Precision>& precisions, OldGraphs old = OldGraphs::keep);

/// A graph and the name of its file.
struct NamedGraph {
  std::string file;
  Graph graph;
};
/// The same for graphs that are made.
void write_graphs(const std::filesystem::path& folder, const std::vector<NamedGraph>& graphs,
                  const std::vector<Precision>& precisions, OldGraphs old = OldGraphs::keep);

/// tests.cmake: which operators, precisions and graphs there are tests for.
std::string tests_cmake(const std::vector<std::string>& operators,
                        const std::vector<Precision>& precisions,
                        const std::vector<std::string>& graphs);

}  // namespace benanza::emit
