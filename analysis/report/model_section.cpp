#include "report/answers.h"

namespace benanza {

Section model_section(const Graph& graph, const Choice& choice) {
  Section section;
  std::string& heading = section.heading;
  heading = title(graph) + ", " + std::string(to_string(choice.precision));
  nlohmann::ordered_json& facts = section.facts;
  facts["model"] = graph.model;
  facts["batch"] = graph.batch ? nlohmann::ordered_json(*graph.batch) : nullptr;
  facts["precision"] = to_string(choice.precision);
  const auto state = [&](const char* name, bool set, const std::string& value,
                         const std::string& words) {
    facts[name] = set ? nlohmann::ordered_json(value) : nullptr;
    if (set) heading += ", " + words + value;
  };
  state("layout", choice.layout.has_value(),
        choice.layout ? std::string(to_string(*choice.layout)) : "", "layout ");
  state("backend", choice.backend.has_value(), choice.backend.value_or(""), "");
  state("fallback", choice.fallback.has_value(),
        choice.fallback ? std::string(to_string(*choice.fallback)) : "", "fallback ");
  facts["cold"] = choice.cold;
  if (choice.cold) heading += ", cold caches";
  facts["max_workspace_bytes"] =
      choice.max_workspace_bytes ? nlohmann::ordered_json(*choice.max_workspace_bytes) : nullptr;
  if (choice.max_workspace_bytes) {
    heading += ", workspace up to " + std::to_string(*choice.max_workspace_bytes) + " bytes";
  }
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
