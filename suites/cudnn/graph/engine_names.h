#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::cudnn {

/// What the library's heuristics answer for the graphs of one solver.
struct EngineNames {
  /// The first graph's signature: tells a problem's solvers apart.
  std::string graph{};
  std::vector<std::string> names{};
  /// The library's words; empty unless it refuses.
  std::string refusal{};
  bool operator==(const EngineNames&) const = default;
};

/// A question that another process may answer: the prototype's algorithm does not count.
std::string question_text(const harness::Variant& prototype, harness::AlgorithmSet set);
/// Nothing if the text is no question.
struct Question {
  harness::Variant prototype;
  harness::AlgorithmSet set;
};
bool is_question(std::string_view text);
Question parse_question(std::string_view text);

/// One text that parses back.
std::string answer_text(const std::vector<EngineNames>& answers);
std::vector<EngineNames> parse_answers(const std::string& text);

}  // namespace benanza::cudnn
