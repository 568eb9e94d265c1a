#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/results_file/origin.h"

namespace benanza::analysis {

/// One value of a table: for people, and for programs (null and "-" where unknown).
struct Cell {
  std::string shown{};
  nlohmann::ordered_json value{};
};

Cell text_cell(std::string text);
Cell count_cell(std::size_t count);
Cell flag_cell(std::optional<bool> flag);
/// Seconds, shown as microseconds or milliseconds.
Cell us_cell(std::optional<double> seconds);
Cell ms_cell(std::optional<double> seconds);
/// A factor, shown as "1.25x".
Cell factor_cell(std::optional<double> factor);
/// A part of 1, shown as a percentage.
Cell percent_cell(std::optional<double> part);
/// Bytes, shown in MB.
Cell megabytes_cell(std::optional<double> bytes);

/// A table. Columns have a title for people and a name for programs.
struct Sheet {
  struct Column {
    std::string title{};
    std::string name{};
    bool number = false;
  };
  /// For programs, and the id in HTML: "layers".
  std::string name{};
  /// For people; may be empty.
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};
};

/// What a question answers of one model, or of all.
struct Section {
  /// "resnet50_v1, batch 8, fp32".
  std::string heading{};
  /// For people: what the tables add up to, one fact a line.
  std::vector<std::string> lines{};
  /// For programs: the same, and which model, batch and precision. A JSON object.
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  std::vector<Sheet> sheets{};
};

/// A whole answer.
struct Page {
  std::string command{};
  std::map<std::string, System> systems{};
  std::vector<Section> sections{};
};

/// "onednn: threads 2, ..." lines.
std::string system_lines(const std::map<std::string, System>& systems);

/// For people. A table shows its first `rows` rows and says how many it has; one without rows is
/// left out.
std::string page_table(const Page& page, std::size_t rows);
/// {"schema": 1, "command", "systems", "reports": [facts and, by name, tables as lists of
/// objects]}.
std::string page_json(const Page& page);
/// The first table of every section, with the section's model, batch and precision; sections whose
/// first table has other columns than the first section's are left out.
std::string page_csv(const Page& page);
/// By the name of a format: "table", "json" or "csv".
std::string page_text(const Page& page, const std::string& format, std::size_t rows);

}  // namespace benanza::analysis
