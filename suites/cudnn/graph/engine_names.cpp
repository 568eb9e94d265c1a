#include "suites/cudnn/graph/engine_names.h"

#include <nlohmann/json.hpp>

#include "core/problem/name.h"

namespace benanza::cudnn {
namespace {

constexpr char mark = '?';
/// Not the name of an algorithm.
constexpr const char* any_algorithm = "engines";

}  // namespace

std::string variant_text(const harness::Variant& variant) {
  return to_string(VariantName{.key = key(variant.problem),
                               .precision = variant.precision,
                               .layout = variant.layout,
                               .backend = "cudnn",
                               .algorithm = variant.algorithm});
}

std::string question_text(const harness::Variant& prototype, harness::AlgorithmSet set) {
  harness::Variant any = prototype;
  any.algorithm = any_algorithm;
  return mark + std::to_string(static_cast<int>(set)) + variant_text(any);
}

bool is_question(std::string_view text) { return text.starts_with(mark); }

Question parse_question(std::string_view text) {
  const VariantName name = parse_variant_name(text.substr(2));
  return {.prototype = {parse(name.key), name.precision, name.layout, {}},
          .set = static_cast<harness::AlgorithmSet>(text.at(1) - '0')};
}

std::string answer_text(const std::vector<EngineNames>& answers) {
  auto text = nlohmann::json::array();
  for (const EngineNames& answer : answers) {
    text.push_back({answer.graph, answer.names, answer.refusal});
  }
  return text.dump();
}

std::vector<EngineNames> parse_answers(const std::string& text) {
  std::vector<EngineNames> answers;
  for (const auto& answer : nlohmann::json::parse(text)) {
    answers.push_back({.graph = answer.at(0).get<std::string>(),
                       .names = answer.at(1).get<std::vector<std::string>>(),
                       .refusal = answer.at(2).get<std::string>()});
  }
  return answers;
}

}  // namespace benanza::cudnn
