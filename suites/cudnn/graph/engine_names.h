#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::cudnn {

/// The heuristics' answer for the graphs of one family.
struct EngineNames {
  /// The first graph's signature; distinguishes a problem's families.
  std::string graph{};
  std::vector<std::string> names{};
  /// The library's message if it refuses; otherwise empty.
  std::string refusal{};
  bool operator==(const EngineNames&) const = default;
};

/// The name of a variant of this suite.
std::string variant_text(const harness::Variant& variant);

/// Serializes a question for another process. The prototype's algorithm is ignored.
std::string question_text(const harness::Variant& prototype, harness::AlgorithmSet set);
/// A parsed question_text().
struct Question {
  harness::Variant prototype;
  harness::AlgorithmSet set;
};
bool is_question(std::string_view text);
Question parse_question(std::string_view text);

/// Serializes the answers.
std::string answer_text(const std::vector<EngineNames>& answers);
std::vector<EngineNames> parse_answers(const std::string& text);

}  // namespace benanza::cudnn
