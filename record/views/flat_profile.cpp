#include "record/views/flat_profile.h"

#include <algorithm>
#include <map>

namespace benanza {

std::string group_name(const CallText& text, Grouping grouping) {
  if (grouping == Grouping::kind) return text.kind;
  if (grouping == Grouping::implementation) return text.kind + ' ' + text.implementation;
  std::string name = text.kind;
  const auto add = [&](const std::string& field) {
    if (!field.empty() && field != "undef") name += ' ' + field;
  };
  add(text.prop_kind);
  add(text.problem);
  add(text.auxiliary);
  // The owner of the scratchpad does not distinguish calls.
  constexpr std::string_view scratchpad = "attr-scratchpad:user";
  std::string attributes = text.attributes;
  const std::size_t at = attributes.find(scratchpad);
  if (at != std::string::npos) {
    attributes.erase(at, scratchpad.size());
    attributes.erase(0, attributes.find_first_not_of(' '));
  }
  add(attributes);
  add(text.memory);
  return name;
}

std::vector<ProfileRow> flat_profile(const std::vector<std::vector<CallTotal>>& recordings,
                                     Grouping grouping) {
  std::map<std::string, std::size_t> places;
  std::vector<ProfileRow> rows;
  for (std::size_t recording = 0; recording < recordings.size(); ++recording) {
    for (const CallTotal& total : recordings[recording]) {
      const std::string name = group_name(total.text, grouping);
      const auto [place, is_new] = places.try_emplace(name, rows.size());
      if (is_new) {
        rows.push_back({.name = name,
                        .parts = std::vector<std::optional<ProfileRow::Part>>(recordings.size())});
      }
      auto& part = rows[place->second].parts[recording];
      if (!part) part.emplace();
      part->calls += total.calls;
      part->seconds += total.seconds;
    }
  }
  const auto seconds = [](const std::optional<ProfileRow::Part>& part) {
    return part ? part->seconds : -1;
  };
  std::ranges::stable_sort(rows, [&](const ProfileRow& a, const ProfileRow& b) {
    for (std::size_t recording = 0; recording < a.parts.size(); ++recording) {
      const double left = seconds(a.parts[recording]);
      const double right = seconds(b.parts[recording]);
      if (left != right) return left > right;
    }
    return false;
  });
  return rows;
}

ProfileRow::Part sum_of(const std::vector<CallTotal>& totals) {
  ProfileRow::Part sum;
  for (const CallTotal& total : totals) {
    sum.calls += total.calls;
    sum.seconds += total.seconds;
  }
  return sum;
}

}  // namespace benanza
