#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// A subcommand of benanza-analyze, and a chapter of its HTML report. Every .cpp file of this
/// folder defines one, as `Question <file name>_question()`; nothing else has to know of it.
struct Question {
  /// As typed.
  std::string_view name{};
  /// A line of the help.
  std::string_view help{};
  /// The answer about one model at one precision; nothing where there is nothing to say of it. Null
  /// where the question is not about one model. It becomes a chapter of the report, and, where
  /// `ask` is null, the answer of the subcommand.
  std::optional<Section> (*section)(const Subject& subject) = nullptr;
  /// Adds the question's flags and says what answers it; null: the common flags and `section`.
  Action (*ask)(Flags& flags) = nullptr;
  /// Of the chapter, after the model's name.
  std::string_view chapter{};
  /// Chapters are in ascending order of this.
  int place = 100;
};

/// Every one, in the order of their files' names. Generated from the files of this folder.
std::vector<Question> questions();

}  // namespace benanza::analysis
