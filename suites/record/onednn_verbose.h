#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/recording/recording.h"

namespace benanza::record {

/// A line that oneDNN prints with ONEDNN_VERBOSE (DNNL_VERBOSE), versions 1.x to 3.x:
///   onednn_verbose[,v1][,TIMESTAMP][,primitive],exec,ENGINE,PRIMITIVE,IMPLEMENTATION,PROP_KIND,
///   MEMORY,ATTRIBUTES,AUXILIARY,PROBLEM,MILLISECONDS
struct OnednnLine {
  enum class Kind { exec, info, other };
  Kind kind = Kind::other;
  /// Milliseconds since 1970, if the line has a timestamp.
  std::optional<double> timestamp{};
  /// For Kind::exec.
  CallText call{};
  double milliseconds = 0;
  /// For Kind::info: the text after the word "info".
  std::string info{};
};

/// Returns nullopt for lines that are not oneDNN's or are incomplete.
std::optional<OnednnLine> parse_onednn_line(std::string_view line);

}  // namespace benanza::record
