#include "analysis/questions/common/answers.h"
#include "analysis/render/json_value.h"

namespace benanza::analysis {

std::string choice_text(const Choice& choice, Movement movement) {
  std::string text(to_string(choice.precision));
  if (choice.layout) text += ", layout " + std::string(to_string(*choice.layout));
  if (choice.backend) text += ", " + *choice.backend;
  if (choice.fallback) text += ", fallback " + std::string(to_string(*choice.fallback));
  if (choice.cold) text += ", cold caches";
  if (choice.max_workspace_bytes) {
    text += ", workspace up to " + std::to_string(*choice.max_workspace_bytes) + " bytes";
  }
  if (movement == Movement::include) text += ", movement included";
  return text;
}

void add_choice_facts(const Choice& choice, nlohmann::ordered_json& facts) {
  const auto stated = [](const auto& value, auto&& text) {
    return value ? nlohmann::ordered_json(text(*value)) : nlohmann::ordered_json();
  };
  const auto name = [](auto value) { return to_string(value); };
  const auto same = [](const auto& value) { return value; };
  facts["precision"] = to_string(choice.precision);
  facts["layout"] = stated(choice.layout, name);
  facts["backend"] = stated(choice.backend, same);
  facts["fallback"] = stated(choice.fallback, name);
  facts["cold"] = choice.cold;
  facts["max_workspace_bytes"] = stated(choice.max_workspace_bytes, same);
}

std::string choice_heading(const Graph& graph, const Choice& choice, Movement movement) {
  return title(graph) + ", " + choice_text(choice, movement);
}

Section model_section(const Graph& graph, const Choice& choice) {
  Section section{.heading = choice_heading(graph, choice)};
  section.facts["model"] = graph.model;
  section.facts["batch"] = value_or_null(graph.batch);
  add_choice_facts(choice, section.facts);
  return section;
}

std::string call_text(const Measurement* call) {
  if (call == nullptr) return "-";
  const VariantName& variant = call->variant;
  return std::string(to_string(variant.layout)) + '/' + variant.backend + '/' + variant.algorithm;
}

std::optional<double> seconds_of(const Measurement* call) {
  if (call == nullptr) return std::nullopt;
  return call->seconds();
}

std::string calls_text(const LayerTime& time) {
  std::string text = time.fusion.empty() ? "" : time.fusion + ": ";
  for (std::size_t i = 0; i < time.calls.size(); ++i) {
    if (i > 0) text += " + ";
    text += call_text(time.calls[i]);
  }
  return text.empty() ? "-" : text;
}

}  // namespace benanza::analysis
