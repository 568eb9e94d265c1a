// benanza-generate: turns ONNX models and recordings of programs into registrations, graphs and the
// list of tests.
#include <algorithm>
#include <iostream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "generator/command_line.h"
#include "generator/emit/emit.h"
#include "generator/emit/summary.h"
#include "record/problems/recorded_graphs.h"

namespace {

using namespace benanza;

int generate_from_recordings(const CommandLine& line) {
  std::vector<Precision> precisions = line.precisions;
  std::vector<emit::NamedGraph> graphs;
  for (const std::string& recording : line.recordings) {
    record::RecordedGraphs read = record::graphs_of_recording(recording, line.precisions);
    for (Graph& graph : read.graphs) {
      const std::string file = emit::file_name(graph.model);
      graphs.push_back({file, std::move(graph)});
    }
    for (const Precision found : read.precisions) {
      const bool known = std::ranges::find(precisions, found) != precisions.end();
      if (line.precisions.empty() && !known) precisions.push_back(found);
    }
    for (const std::string& text : read.summary) std::cout << text << '\n';
  }
  if (precisions.empty()) precisions = {Precision::fp32};
  emit::write_graphs(line.out, graphs, precisions, line.old_graphs);
  return 0;
}

/// Reports how many models were refused. Returns the exit status of the program.
int finish(const ImportedModels& imported, const CommandLine& line) {
  if (!line.refused_list.empty()) {
    std::string text;
    for (const RefusedModel& model : imported.refused)
      text += model.path.string() + '\t' + model.error + '\n';
    write_file_if_changed(line.refused_list, text);
  }
  if (imported.refused.empty()) return 0;
  std::cerr << "benanza-generate: left out " << imported.refused.size() << " of "
            << line.options.models.size() << " models; everything else is done\n";
  return line.refused_list.empty() ? 1 : 0;
}

int generate_from_models(const CommandLine& line) {
  const ImportedModels imported = import_models(line.options);
  for (const ImportedGraph& one : imported.graphs) {
    for (const std::string& warning : one.graph.warnings) {
      std::cerr << "benanza-generate: warning: " << warning << '\n';
    }
  }
  for (const RefusedModel& model : imported.refused) {
    std::cerr << "benanza-generate: " << model.error << '\n';
  }
  if (imported.graphs.empty()) return 1;
  if (!line.out.empty()) {
    emit::write_graphs(line.out, graphs_of(imported.graphs), line.precisions, line.old_graphs);
  }
  if (line.summary) {
    for (const ImportedGraph& one : imported.graphs) {
      std::cout << emit::summary(one.graph, *line.summary);
    }
  }
  if (line.shows_sharing) {
    std::vector<LoweredGraph> graphs;
    for (const ImportedGraph& one : imported.graphs) graphs.push_back(one.graph);
    std::cout << emit::sharing(graphs);
  }
  return finish(imported, line);
}

int run(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  if (line.exit_status) return *line.exit_status;
  return line.recordings.empty() ? generate_from_models(line) : generate_from_recordings(line);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::string message = error.what();
    std::ranges::replace(message, '\n', ' ');
    std::cerr << "benanza-generate: " << message << '\n';
    return 1;
  }
}
