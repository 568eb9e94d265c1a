#include "analysis/results/json_text.h"

#include <nlohmann/json.hpp>

namespace benanza {
namespace {

template <class Map>
std::optional<Map> parse_map(std::string_view text) {
  try {
    return nlohmann::json::parse(text).get<Map>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string quoted_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string object_json(const System& system) { return nlohmann::json(system).dump(); }

std::string object_json(const PeakValues& peaks) { return nlohmann::json(peaks).dump(); }

std::optional<System> parse_system(std::string_view text) { return parse_map<System>(text); }

std::optional<PeakValues> parse_peaks(std::string_view text) { return parse_map<PeakValues>(text); }

}  // namespace benanza
