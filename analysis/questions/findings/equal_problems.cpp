#include "analysis/questions/findings/equal_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/render/text.h"

namespace benanza::analysis {

void EqualProblems::add(Item item) {
  if (item.key.empty()) item.key = "layer " + std::to_string(item.layer);
  items_.push_back(std::move(item));
}

double EqualProblems::seconds() const {
  double sum = 0;
  for (const Item& item : items_) sum += item.seconds;
  return sum;
}

std::vector<std::size_t> EqualProblems::layers() const {
  std::vector<std::size_t> layers;
  for (const Item& item : items_) layers.push_back(item.layer);
  std::ranges::sort(layers);
  const auto repeated = std::ranges::unique(layers);
  layers.erase(repeated.begin(), repeated.end());
  return layers;
}

std::string EqualProblems::worst_text(const Matter& matter) const {
  std::map<std::string, std::vector<const Item*>> problems;
  for (const Item& item : items_) problems[item.key].push_back(&item);
  const auto seconds_of = [](const auto& problem) {
    double sum = 0;
    for (const Item* const item : problem.second) sum += item->seconds;
    return sum;
  };
  const auto worst = std::ranges::max_element(problems, {}, seconds_of);
  if (worst == problems.end()) return "";
  const Item& first = **std::ranges::max_element(worst->second, {}, &Item::seconds);
  const std::size_t others = worst->second.size() - 1;
  return fmt::format(
      "{}{}{}", shortened(matter.name_of(first.layer), name_width),
      others == 0 ? std::string() : fmt::format(" and {} more of this problem", others),
      first.note.empty() ? std::string() : fmt::format(" ({})", first.note));
}

}  // namespace benanza::analysis
