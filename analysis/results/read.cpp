#include "results/read.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "json/document.h"

namespace benanza {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr Status statuses[] = {Status::ok, Status::unsupported, Status::incorrect, Status::failed};

/// The files `paths` stand for, sorted, each once.
std::vector<fs::path> result_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  std::set<fs::path> seen;
  const auto take = [&](const fs::path& path) {
    if (seen.insert(fs::weakly_canonical(path)).second) files.push_back(path);
  };
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      take(path);
      continue;
    }
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && entry.path().extension() == ".json") found.push_back(entry);
    }
    if (found.empty()) {
      throw Error(path.string() + ": no results (*.json) in it; run the benchmarks first");
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& file : found) take(file);
  }
  return files;
}

double seconds_per_unit(const std::string& unit, const Document& document) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  throw document.error("unknown time_unit \"" + unit + "\"");
}

Measurement read_row(const json& row, const Document& document) {
  Measurement measurement;
  const auto name = row.at("name").get<std::string>();
  try {
    measurement.variant = parse_variant_name(name);
  } catch (const std::invalid_argument& exception) {
    throw document.error(exception.what());
  }
  const auto status = row.at("status").get<std::string>();
  const auto found = std::find_if(std::begin(statuses), std::end(statuses),
                                  [&](Status known) { return status == to_string(known); });
  if (found == std::end(statuses)) {
    throw document.error(name + ": unknown status \"" + status + "\"");
  }
  measurement.status = *found;
  measurement.reason = optional_member<std::string>(row, "reason").value_or("");
  if (measurement.status != Status::ok) return measurement;

  measurement.samples =
      optional_member<std::vector<double>>(row, "samples").value_or(std::vector<double>());
  if (measurement.samples.empty()) {
    measurement.samples.push_back(
        row.at("real_time").get<double>() *
        seconds_per_unit(row.at("time_unit").get<std::string>(), document));
  }
  for (const double sample : measurement.samples) {
    if (!std::isfinite(sample) || sample <= 0) {
      throw document.error(name + ": is ok but has a time of " + std::to_string(sample) + " s");
    }
  }
  return measurement;
}

/// Which backend, on which system, and where that was read.
struct Origin {
  std::string backend;
  System system;
  fs::path file;
};

Origin read_origin(const Document& document) {
  const json& context = document.root().at("context");
  const auto ours = context.find("benanza");
  if (ours == context.end()) throw document.error("was not written by a benanza suite");
  document.require_schema(*ours, 1);
  return {.backend = ours->at("backend").get<std::string>(),
          .system = ours->at("system").get<System>(),
          .file = document.path()};
}

/// One text for a field's value in `system`.
std::string shown(const System& system, const std::string& field) {
  const auto found = system.find(field);
  return found == system.end() ? "not stated" : '"' + found->second + '"';
}

void require_same_system(const Origin& first, const Origin& second) {
  if (first.system == second.system) return;
  System fields = first.system;
  fields.insert(second.system.begin(), second.system.end());
  for (const auto& [field, value] : fields) {
    const std::string a = shown(first.system, field);
    const std::string b = shown(second.system, field);
    if (a == b) continue;
    throw Error(first.file.string() + " and " + second.file.string() +
                ": measured on different systems: " + field + " is " + a + " and " + b +
                "; analyse them one by one");
  }
}

}  // namespace

Results read_results(const std::vector<fs::path>& paths) {
  Results results;
  std::map<std::string, Origin> origins;
  for (const fs::path& path : result_files(paths)) {
    const Document document(path, "a results file", "measure again, or leave the file out");
    document.guard([&] {
      const Origin origin = read_origin(document);
      require_same_system(origins.try_emplace(origin.backend, origin).first->second, origin);
      for (const json& row : document.root().at("benchmarks")) {
        if (row.value("run_type", "iteration") == "aggregate") continue;
        results.measurements.add(read_row(row, document));
      }
    });
  }
  for (const auto& [backend, origin] : origins) results.systems[backend] = origin.system;
  return results;
}

}  // namespace benanza
