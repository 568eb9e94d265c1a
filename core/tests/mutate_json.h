#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/tests/mutate.h"

namespace benanza::test {

/// Returns `text`, which is JSON, with one to three of its values lost, doubled, exchanged or
/// replaced by an extreme one or one of another type. The result is JSON.
inline std::string changed_json(Mutator& mutator, const std::string& text) {
  // The order of members is kept: contexts come before rows.
  using json = nlohmann::ordered_json;
  json root = json::parse(text);
  const auto extremes = [&]() -> json {
    static const std::vector<json> all{nullptr,
                                       true,
                                       false,
                                       0,
                                       1,
                                       2,
                                       -1,
                                       7,
                                       2147483648,
                                       281474976710657,
                                       9223372036854775807,
                                       18446744073709551615U,
                                       0.5,
                                       -0.0,
                                       1e-300,
                                       1e30,
                                       1e300,
                                       -1e300,
                                       "",
                                       "0",
                                       "two\nlines",
                                       "free",
                                       "movement",
                                       "measured",
                                       "fp32",
                                       "relu/1x8",
                                       "relu/1152921504606846976x16",
                                       json::array(),
                                       json::object(),
                                       json::array({0}),
                                       json::array({0, 0}),
                                       json::array({1, 0}),
                                       json::array({5, 4, 3, 2, 1, 0})};
    return mutator.any_of(all);
  };
  for (std::size_t left = 1 + mutator.below(3); left > 0; --left) {
    // Every value, with the one that holds it.
    std::vector<std::pair<json*, json*>> places;
    const auto visit = [&](const auto& self, json& holder) -> void {
      if (!holder.is_structured()) return;
      for (json& value : holder) {
        places.emplace_back(&holder, &value);
        self(self, value);
      }
    };
    visit(visit, root);
    if (places.empty()) break;
    const auto [holder, value] = mutator.any_of(places);
    const json other = *mutator.any_of(places).second;
    switch (mutator.below(6)) {
      case 0:
      case 1:
        *value = extremes();
        break;
      case 2:
        *value = other;
        break;
      case 3:
        if (value->is_string()) {
          *value = mutator.with_extreme_number(value->get<std::string>());
        } else if (holder->is_array()) {
          // Doubled.
          const json copy = *value;
          holder->push_back(copy);
        }
        break;
      case 4:
        for (auto it = holder->begin(); it != holder->end(); ++it) {
          if (&*it != value) continue;
          holder->erase(it);
          break;
        }
        break;
      default:
        if (value->is_array() && value->size() > 1) std::swap(value->front(), value->back());
    }
  }
  return root.dump();
}

}  // namespace benanza::test
