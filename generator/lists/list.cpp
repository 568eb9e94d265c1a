#include "generator/lists/list.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/base/text.h"

namespace benanza::lists {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> tables(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".tsv") paths.push_back(entry.path());
  }
  if (paths.empty()) {
    throw Error(folder.string() + ": no folder of tables (*.tsv): a list is FOLDER/SET");
  }
  std::ranges::sort(paths);
  return paths;
}

Kind kind_of(const fs::path& table) {
  std::string known;
  for (const Kind& kind : kinds()) {
    if (kind.name == table.stem().string()) return kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw Error(table.string() + ": tables are called " + known);
}

LoweredLayer layer_of(const Pass& pass, std::string name, const std::string& op) {
  LoweredLayer layer;
  layer.name = std::move(name);
  layer.op = pass.name == "fwd" ? op : op + '.' + pass.name;
  if (!pass.problem) {
    layer.cost = Cost::unsupported;
    layer.reason = pass.reason;
    return layer;
  }
  layer.calls = {{.problem = *pass.problem, .operands = {}}};
  set_work(layer);
  return layer;
}

void add_rows(LoweredGraph& graph, const fs::path& table, const std::string& op,
              const std::string& wanted, std::set<std::string>& sets) {
  const Kind kind = kind_of(table);
  for (const Row& row : read_table(table)) {
    sets.insert(row.text("set"));
    if (row.text("set") != wanted) continue;
    const Entry entry = kind.read(row);
    const std::string user = row.text("application");
    for (const Pass& pass : entry.passes) {
      std::string name = entry.sizes;
      if (entry.passes.size() > 1) name += ' ' + pass.name;
      if (!user.empty() && user != "-") name += " (" + user + ')';
      graph.layers.push_back(layer_of(pass, std::move(name), op));
    }
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

LoweredGraph read_list(const fs::path& path) {
  const fs::path given = path.has_filename() ? path : path.parent_path();
  const std::string set = given.filename().string();
  const fs::path folder = fs::absolute(given).lexically_normal().parent_path();
  const std::string name = folder.filename().string();
  LoweredGraph graph;
  graph.model = name + '_' + set;
  graph.list = name;
  std::set<std::string> sets;
  for (const fs::path& table : tables(given.parent_path().empty() ? "." : given.parent_path())) {
    add_rows(graph, table, name + '.' + table.stem().string(), set, sets);
  }
  if (!graph.layers.empty()) return graph;
  throw Error(path.string() + ": no row is of the set " + set + ": there are " +
              text::join(sets, ", "));
}

}  // namespace benanza::lists
