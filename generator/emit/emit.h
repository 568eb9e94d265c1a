#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
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

/// A graph, the name of its file, and the list of problems that it is, if it is one.
struct NamedGraph {
  std::string file;
  Graph graph;
  std::string list = {};
};
/// The same for graphs that are made.
void write_graphs(const std::filesystem::path& folder, const std::vector<NamedGraph>& graphs,
                  const std::vector<Precision>& precisions, OldGraphs old = OldGraphs::keep);

/// What there are tests for.
struct Tests {
  std::vector<std::string> operators;
  std::vector<Precision> precisions;
  std::vector<std::string> graphs;
  /// The lists of problems that ask for an operator, and the list that a graph is, by the
  /// operator's or the graph's name: labels of the tests.
  std::map<std::string, std::set<std::string>> labels = {};
};

/// The text of tests.cmake.
std::string tests_cmake(const Tests& tests);

}  // namespace benanza::emit
