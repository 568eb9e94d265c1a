#include "analysis/questions/common/prices.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {

Prices read_prices(const std::string& path) {
  Prices prices;
  if (path.empty()) return prices;
  const auto wrong = [&] {
    return Error(path + ": expected {\"name of a device\": USD per hour, ...}");
  };
  const auto table = nlohmann::json::parse(read_file(path), nullptr, false);
  if (!table.is_object()) throw wrong();
  for (const auto& [name, price] : table.items()) {
    if (!price.is_number() || price.get<double>() < 0) throw wrong();
    prices[name] = price.get<double>();
  }
  return prices;
}

std::string device_of(const std::map<std::string, System>& systems) {
  for (const char* field : {"device", "cpu_model"}) {
    for (const auto& [backend, system] : systems) {
      const auto name = system.find(field);
      if (name != system.end()) return name->second;
    }
  }
  return "unknown device";
}

}  // namespace benanza::analysis
