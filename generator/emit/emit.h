#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph_file/data_flow.h"
#include "core/graph_file/graph.h"
#include "core/problem/precision.h"

namespace benanza::emit {

/// Returns "resnet.graph.json".
std::string file_name(const std::string& model);

/// A graph, its file name, and, if it is a list of problems, the list's name.
struct NamedGraph {
  std::string file;
  Graph graph;
  std::string list = {};
  std::optional<DataFlow> flow = {};
};

/// What to do with graph files that an earlier run wrote and this one does not.
enum class OldGraphs { keep, remove };

/// Writes problems.cpp, tests.cmake and one graph.json (and one flow.json) per graph into `folder`;
/// the first two then cover only these graphs. `remove` deletes the graph files listed in the
/// existing tests.cmake and no others. Files whose content stays the same are not touched. Throws
/// Error before writing anything if two graphs would share a file.
void write_graphs(const std::filesystem::path& folder, const std::vector<NamedGraph>& graphs,
                  const std::vector<Precision>& precisions, OldGraphs old = OldGraphs::keep);

/// The contents of tests.cmake.
struct Tests {
  std::vector<std::string> operators;
  /// Those with problems whose tensors a file stores in 8 bits.
  std::map<Precision, std::vector<std::string>> stored_operators = {};
  std::vector<Precision> precisions;
  std::vector<std::string> graphs;
  /// Test labels by operator or graph name: the lists that contain the operator, or the list that
  /// the graph is.
  std::map<std::string, std::set<std::string>> labels = {};
};

std::string tests_cmake(const Tests& tests);

}  // namespace benanza::emit
