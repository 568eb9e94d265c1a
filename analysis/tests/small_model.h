#pragma once

#include <string>

#include "analysis/tests/program.h"
#include "core/graph_file/graph.h"

namespace benanza::test {

/// Questions about the model of data/small.graph.json, in a temporary folder.
class SmallModel : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) const { return run_program(arguments, folder_); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  /// oneDNN's fp32 rows: for every problem of the model, one row for each time in
  /// `seconds_of(key)`.
  template <class SecondsOf>
  std::string rows(SecondsOf seconds_of) const {
    std::string all;
    for (const std::string& key : problem_keys({read_graph(graph_)})) {
      const bool plain = key.starts_with("gemm") || key.starts_with("copy");
      const std::string name = key + (plain ? "/fp32/plain/onednn/a" : "/fp32/nchw/onednn/a");
      for (const double seconds : seconds_of(key)) {
        all += (all.empty() ? "" : ",\n") + row(name, '[' + std::to_string(seconds) + ']');
      }
    }
    return all;
  }

  const Folder folder_;
  std::string graph_ = data("small.graph.json").string();
};

}  // namespace benanza::test
