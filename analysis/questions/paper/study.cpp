#include "analysis/questions/paper/study.h"

#include <algorithm>

#include "analysis/questions/question.h"

namespace benanza::analysis {

StudiedModel::StudiedModel(const Inputs& inputs, const Graph& graph,
                           const MeasurementFilter& filter, Precision tensor_cores)
    : subject_{.inputs = inputs,
               .graph = graph,
               .filter = filter,
               .allow_missing = true,
               .tensor_cores = tensor_cores} {}

std::string StudiedModel::name() const {
  const std::optional<std::int64_t>& batch = subject_.graph.batch;
  return subject_.graph.model + (batch ? ", batch " + std::to_string(*batch) : "");
}

const nlohmann::ordered_json& StudiedModel::facts(std::string_view question) const {
  if (const auto known = facts_.find(question); known != facts_.end()) return known->second;
  nlohmann::ordered_json answer;
  for (const Question& one : questions()) {
    if (one.name != question || one.section == nullptr) continue;
    if (std::optional<Section> section = one.section(subject_)) {
      Page page{.command = std::string(question), .flat = true};
      page.sections.push_back(*std::move(section));
      answer = nlohmann::ordered_json::parse(page_json(page));
    }
  }
  return facts_.emplace(question, std::move(answer)).first->second;
}

std::optional<double> StudiedModel::number(std::string_view question,
                                           const std::string& pointer) const {
  const nlohmann::ordered_json& all = facts(question);
  const nlohmann::ordered_json::json_pointer place(pointer);
  if (!all.contains(place) || !all.at(place).is_number()) return std::nullopt;
  return all.at(place).get<double>();
}

bool StudiedModel::is_partial() const {
  const nlohmann::ordered_json& bound = facts("bound");
  return bound.is_object() && bound.value("partial", false);
}

std::vector<const StudiedModel*> Study::at(Precision precision) const {
  std::vector<const StudiedModel*> found;
  for (const StudiedModel& model : models) {
    if (model.subject().filter.precision == precision) found.push_back(&model);
  }
  return found;
}

std::vector<Precision> Study::precisions() const {
  std::vector<Precision> found;
  for (const MeasurementFilter& filter : inputs.filters) found.push_back(filter.precision);
  return found;
}

std::optional<double> ratio(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || !(*whole > 0)) return std::nullopt;
  return *part / *whole;
}

std::string marked(const StudiedModel& model) {
  return model.name() + (model.is_partial() ? " ?" : "");
}

std::optional<std::string> note_on_marks(const std::vector<const StudiedModel*>& models) {
  const bool any = std::ranges::any_of(models, [](const auto* one) { return one->is_partial(); });
  if (!any) return std::nullopt;
  return "? : layers without a call, or not measured, are left out of the sums.";
}

}  // namespace benanza::analysis
