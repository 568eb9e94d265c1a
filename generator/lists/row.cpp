#include "generator/lists/row.h"

#include <sstream>

#include "core/base/file.h"
#include "core/base/text.h"

namespace benanza::lists {
const std::string& Row::text(std::string_view column) const {
  const auto found = values_.find(column);
  if (found == values_.end()) throw error("there is no column \"" + std::string(column) + "\"");
  return found->second;
}

std::int64_t Row::integer(std::string_view column, std::int64_t least) const {
  const std::string& value = text(column);
  const auto number = text::number<std::int64_t>(value);
  if (!number || *number < least) {
    throw error(std::string(column) + " is \"" + value + "\": wants a whole number of at least " +
                std::to_string(least));
  }
  return *number;
}

double Row::real(std::string_view column) const {
  const std::string& value = text(column);
  const auto number = text::number<double>(value);
  if (!number) throw error(std::string(column) + " is \"" + value + "\": wants a number");
  return *number;
}

std::vector<std::string> Row::words(std::string_view column) const {
  return text::split<std::string>(text(column), ',');
}

std::vector<Row> read_table(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    auto values = text::split<std::string>(line, '\t');
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
