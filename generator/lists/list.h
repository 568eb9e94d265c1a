#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "generator/lists/row.h"
#include "generator/lowered/lowered.h"

/// Lists of problems: folders of tables, each with one kind of problem.
namespace benanza::lists {

/// The problem of a row in one direction.
struct Pass {
  /// "fwd", "bwd_data", ...
  std::string name;
  /// Empty if no library call is known; `reason` then says why.
  std::optional<Problem> problem{};
  std::string reason{};
};

/// A row, translated to problems.
struct Entry {
  /// As written in the list: "m=1760 n=16 k=1760 NN".
  std::string sizes;
  /// In the order in which a training step runs them.
  std::vector<Pass> passes;
};

/// How the rows of <name>.tsv are read. Every .cpp file in kinds/ defines one, as `Kind <file
/// name>_kind()`.
struct Kind {
  std::string_view name;
  /// Throws Error, by Row::error(), for an invalid row.
  Entry (*read)(const Row& row);
};

/// Returns all kinds. Generated from the files in kinds/.
std::vector<Kind> kinds();

/// Reads one set of rows as a model named <folder>_<set>: one layer per row and pass, in the order
/// of the tables' names and of their rows, without data flow. A layer's name is the row's sizes,
/// the pass if there are several, and what uses it: "m=1760 n=16 k=1760 NN (speech recognition)";
/// its op is <folder>.<table>, plus the pass unless it is fwd: "deepbench.conv.bwd_data". `path` is
/// <folder>/<set>, where <folder> holds the tables and <set> is a value of their column `set`.
/// Throws Error, one line, if a table cannot be read or has no known kind, or if no row is in the
/// set.
LoweredGraph read_list(const std::filesystem::path& path);

}  // namespace benanza::lists
