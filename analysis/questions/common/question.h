#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// A subcommand of benanza-analyze, and a chapter of its HTML report. Every .cpp file of this
/// folder defines one, as `Question <file name>_question()`; it needs no other registration.
struct Question {
  /// As typed.
  std::string_view name{};
  /// One line for the help.
  std::string_view help{};
  /// The answer for one model at one precision; empty if there is none. It becomes a chapter of the
  /// report and, if `ask` is null, the answer of the subcommand. Null if the question is not about
  /// one model.
  std::optional<Section> (*section)(const Subject& subject) = nullptr;
  /// Adds the question's flags and returns the action that answers it. Null: the common flags and
  /// `section`.
  Action (*ask)(Flags& flags) = nullptr;
  /// The chapter's title, after the model's name.
  std::string_view chapter{};
  /// Sort key of chapters, ascending.
  int place = 100;
};

/// All questions, in the order of their file names. Generated from the files of this folder.
std::vector<Question> questions();

}  // namespace benanza::analysis
