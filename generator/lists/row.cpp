#include "generator/lists/row.h"

#include <charconv>
#include <sstream>

#include "core/base/file.h"

namespace benanza::lists {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

const std::string& Row::text(std::string_view column) const {
  const auto found = values_.find(column);
  if (found == values_.end()) throw error("there is no column \"" + std::string(column) + "\"");
  return found->second;
}

std::int64_t Row::integer(std::string_view column, std::int64_t least) const {
  const std::string& value = text(column);
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, problem] = std::from_chars(value.data(), end, number);
  if (problem != std::errc{} || stop != end || number < least) {
    throw error(std::string(column) + " is \"" + value + "\": wants a whole number of at least " +
                std::to_string(least));
  }
  return number;
}

double Row::real(std::string_view column) const {
  const std::string& value = text(column);
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, problem] = std::from_chars(value.data(), end, number);
  if (problem != std::errc{} || stop != end) {
    throw error(std::string(column) + " is \"" + value + "\": wants a number");
  }
  return number;
}

std::vector<std::string> Row::words(std::string_view column) const {
  return split(text(column), ',');
}

std::vector<Row> read_table(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> values = split(line, '\t');
    if (columns.empty()) {
      columns = std::move(values);
      continue;
    }
    const std::string place = path.string() + ':' + std::to_string(number);
    if (values.size() != columns.size()) {
      throw Error(place + ": has " + std::to_string(values.size()) + " values for " +
                  std::to_string(columns.size()) + " columns");
    }
    std::map<std::string, std::string, std::less<>> named;
    for (std::size_t index = 0; index < columns.size(); ++index) {
      named.emplace(columns[index], std::move(values[index]));
    }
    rows.emplace_back(place, std::move(named));
  }
  return rows;
}

}  // namespace benanza::lists
