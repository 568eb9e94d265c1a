#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/problem.h"
#include "generator/lists/row.h"
#include "generator/lowered/lowered.h"

/// Lists of problems: folders of tables, each of one kind of problem.
namespace benanza::lists {

/// What a row asks for in one direction.
struct Pass {
  /// "fwd", "bwd_data", ...
  std::string name;
  /// Empty: no library call is known, and `reason` says why.
  std::optional<Problem> problem{};
  std::string reason{};
};

/// A row in our words.
struct Entry {
  /// As the list has them: "m=1760 n=16 k=1760 NN".
  std::string sizes;
  /// In the order in which a training step runs them.
  std::vector<Pass> passes;
};

/// How the rows of <name>.tsv are read. Every .cpp of kinds/ defines one, as `Kind <file
/// name>_kind()`.
struct Kind {
  std::string_view name;
  /// Throws Error, by Row::error(), for a row that makes no sense.
  Entry (*read)(const Row& row);
};

/// Every one. Generated from the files of kinds/.
std::vector<Kind> kinds();

/// The rows of one set as a model, named <folder>_<set>: a layer for every row and pass, in the
/// order of the tables' names and of their rows, without data flow. A layer's name is the row's
/// sizes, the pass where there are several, and what uses it: "m=1760 n=16 k=1760 NN (speech
/// recognition)"; its op is <folder>.<table>, and the pass unless it is fwd:
/// "deepbench.conv.bwd_data". `path` is <folder>/<set>, where <folder> holds the tables, and <set>
/// is what they have in the column `set`. Throws Error, one line, for a table that cannot be read
/// or is of no known kind, and if no row is of the set.
LoweredGraph read_list(const std::filesystem::path& path);

}  // namespace benanza::lists
