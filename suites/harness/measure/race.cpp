#include "suites/harness/measure/race.h"

#include <algorithm>
#include <cmath>

namespace benanza::harness {

void RaceRules::set_margin(double margin) {
  for (Heat& heat : heats) heat.margin = std::max(heat.margin, margin);
  heats.back().margin = margin;
  first_call_margin = std::max(first_call_margin, margin);
  if (std::isinf(margin)) most_seconds = margin;
}

MeasureOptions options_of(const Heat& heat, MeasureOptions options,
                          std::optional<double> best_seconds) {
  constexpr std::size_t least_samples = 3;
  options.budget_seconds = std::min(options.budget_seconds, heat.seconds);
  options.minimum_seconds = 0;
  options.preparation_seconds = 0;
  options.payback = 0;
  options.rest_seconds = 0;
  options.minimum_samples = least_samples;
  options.rival_seconds = best_seconds;
  options.outclassed_by = options.hopeless_by = heat.margin;
  return options;
}

std::optional<double> Race::best_seconds() const {
  const auto best =
      std::ranges::min_element(seconds_, {}, [](const auto& one) { return one.second; });
  return best == seconds_.end() ? std::nullopt : std::optional(best->second);
}

bool Race::may_start(double first_call_seconds) const {
  const auto best = best_seconds();
  return !best ||
         first_call_seconds <= *best * rules_.first_call_margin + rules_.first_call_seconds;
}

bool Race::goes_on(const std::string& candidate, std::size_t heat, double seconds) {
  const auto [own, is_new] = seconds_.try_emplace(candidate, seconds);
  own->second = std::min(own->second, seconds);
  return heat + 1 < rules_.heats.size() &&
         own->second <= *best_seconds() * rules_.heats[heat].margin;
}

std::vector<std::string> Race::ranking() const {
  std::vector<std::string> names;
  for (const auto& [name, seconds] : seconds_) names.push_back(name);
  std::ranges::stable_sort(names, {}, [&](const std::string& name) { return seconds_.at(name); });
  return names;
}

bool Race::is_close(const std::string& candidate) const {
  return seconds_.at(candidate) <= *best_seconds() * rules_.heats.back().margin;
}

std::vector<std::string> Race::take_parents() {
  if (generation_++ >= rules_.generations) return {};
  std::vector<std::string> best = ranking();
  if (best.size() > rules_.parents) best.resize(rules_.parents);
  std::erase_if(best, [&](const std::string& name) { return !parents_.insert(name).second; });
  return best;
}

}  // namespace benanza::harness
