#include "report/answers.h"

namespace benanza {

std::string choice_heading(const Graph& graph, const Choice& choice, Movement movement) {
  std::string text = title(graph) + ", " + std::string(to_string(choice.precision));
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

Section model_section(const Graph& graph, const Choice& choice) {
  const auto stated = [](const auto& value, auto&& text) {
    return value ? nlohmann::ordered_json(text(*value)) : nlohmann::ordered_json();
  };
  const auto name = [](auto value) { return to_string(value); };
  const auto same = [](const auto& value) { return value; };
  Section section{.heading = choice_heading(graph, choice)};
  nlohmann::ordered_json& facts = section.facts;
  facts["model"] = graph.model;
  facts["batch"] = stated(graph.batch, same);
  facts["precision"] = to_string(choice.precision);
  facts["layout"] = stated(choice.layout, name);
  facts["backend"] = stated(choice.backend, same);
  facts["fallback"] = stated(choice.fallback, name);
  facts["cold"] = choice.cold;
  facts["max_workspace_bytes"] = stated(choice.max_workspace_bytes, same);
  return section;
}

std::string call_text(const Measurement* call) {
  if (call == nullptr) return "-";
  const VariantName& variant = call->variant;
  return std::string(to_string(variant.layout)) + '/' + variant.backend + '/' + variant.algorithm;
}

std::string calls_text(const LayerTime& time) {
  std::string text = time.fusion.empty() ? "" : time.fusion + ": ";
  for (std::size_t i = 0; i < time.calls.size(); ++i) {
    if (i > 0) text += " + ";
    text += call_text(time.calls[i]);
  }
  return text.empty() ? "-" : text;
}

}  // namespace benanza
