#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/recording/recording.h"

namespace benanza::record {

/// A line that oneDNN prints with ONEDNN_VERBOSE (DNNL_VERBOSE), of versions 1.x to 3.x:
///   onednn_verbose[,v1][,TIMESTAMP][,primitive],exec,ENGINE,PRIMITIVE,IMPLEMENTATION,PROP_KIND,
///   MEMORY,ATTRIBUTES,AUXILIARY,PROBLEM,MILLISECONDS
struct OnednnLine {
  enum class Kind { exec, info, other };
  Kind kind = Kind::other;
  /// Milliseconds since 1970, where the line has them.
  std::optional<double> timestamp{};
  /// exec.
  CallText call{};
  double milliseconds = 0;
  /// info: what follows the word.
  std::string info{};
};

/// Nothing where oneDNN prints no such line: it is the program's own, or was cut.
std::optional<OnednnLine> parse_onednn_line(std::string_view line);

}  // namespace benanza::record
