// benanza-analyze db: results of many runs in one SQLite file.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/questions/question.h"
#include "analysis/input/print.h"
#include "analysis/render/page.h"
#include "analysis/render/text_table.h"
#include "analysis/results/database.h"
#include "analysis/results/export.h"
#include "analysis/results/read.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct DbOptions {
  std::string database;
  std::vector<std::string> results;
  std::string out;
  std::string format = "table";
};

constexpr Status statuses[] = {Status::ok, Status::unsupported, Status::incorrect, Status::failed};

std::string plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void import_files(const DbOptions& options) {
  const auto files = result_files({options.results.begin(), options.results.end()});
  for (const auto& file : files) {
    if (is_database(file)) {
      throw Error(file.string() + ": is a database: export it, and import what that writes");
    }
  }
  const ImportCount count = import_results(options.database, files);
  print(fmt::format("{}: {} from {}; {} known already\n", options.database,
                    plural(count.added, "new row"), plural(count.files, "file"), count.known));
}

std::string list_json(const std::vector<Origin>& origins,
                      const std::vector<DatabaseTally>& tallies) {
  using nlohmann::ordered_json;
  ordered_json systems = ordered_json::object();
  for (const Origin& origin : origins) systems[origin.backend] = origin.system;
  ordered_json list = ordered_json::array();
  for (const DatabaseTally& tally : tallies) {
    ordered_json row = {{"backend", tally.backend},
                        {"precision", tally.precision},
                        {"layout", tally.layout},
                        {"problems", tally.problems},
                        {"rows", tally.rows}};
    for (const Status status : statuses) {
      const auto found = tally.by_status.find(status);
      row[std::string(to_string(status))] = found == tally.by_status.end() ? 0 : found->second;
    }
    list.push_back(row);
  }
  return ordered_json{{"schema", 1}, {"command", "db list"}, {"systems", systems}, {"rows", list}}
             .dump(2) +
         "\n";
}

std::string list_table(const std::vector<Origin>& origins,
                       const std::vector<DatabaseTally>& tallies) {
  std::map<std::string, System> systems;
  for (const Origin& origin : origins) systems[origin.backend] = origin.system;
  TextTable table({{"backend"},
                   {"precision"},
                   {"layout"},
                   {"problems", true},
                   {"rows", true},
                   {"ok", true},
                   {"unsupported", true},
                   {"incorrect", true},
                   {"failed", true}});
  for (const DatabaseTally& tally : tallies) {
    std::vector<std::string> cells{tally.backend, tally.precision, tally.layout,
                                   std::to_string(tally.problems), std::to_string(tally.rows)};
    for (const Status status : statuses) {
      const auto found = tally.by_status.find(status);
      cells.push_back(found == tally.by_status.end() ? "0" : std::to_string(found->second));
    }
    table.add(std::move(cells));
  }
  return system_lines(systems) + '\n' + table.text();
}

std::string list_csv(const std::vector<DatabaseTally>& tallies) {
  std::string text = "backend,precision,layout,problems,rows,ok,unsupported,incorrect,failed\n";
  for (const DatabaseTally& tally : tallies) {
    text += fmt::format("{},{},{},{},{}", tally.backend, tally.precision, tally.layout,
                        tally.problems, tally.rows);
    for (const Status status : statuses) {
      const auto found = tally.by_status.find(status);
      text += fmt::format(",{}", found == tally.by_status.end() ? 0 : found->second);
    }
    text += '\n';
  }
  return text;
}

void list(const DbOptions& options) {
  Database database(options.database);
  const auto origins = database.origins();
  const auto tallies = database.tallies();
  if (options.format == "json") return print(list_json(origins, tallies));
  if (options.format == "csv") return print(list_csv(tallies));
  print(list_table(origins, tallies));
}

void export_files(const DbOptions& options) {
  Database database(options.database);
  for (const auto& file : export_results(database, options.out)) print(file.string() + '\n');
}

void add_db(CLI::App& program) {
  const auto options = std::make_shared<DbOptions>();
  CLI::App* command = program.add_subcommand("db", "A database of results, for --results");
  command->require_subcommand(1);
  const auto add_one = [&](const char* name, const char* what, void (*answer)(const DbOptions&)) {
    CLI::App* added = command->add_subcommand(name, what);
    added->add_option("database", options->database, "SQLite file")->required()->type_name("DB");
    added->callback([options, answer] { answer(*options); });
    return added;
  };
  add_one("import", "Adds the suites' results; what is there already is not added again",
          import_files)
      ->add_option("results", options->results, "Google Benchmark JSON; folders are searched")
      ->required()
      ->type_name("FILE|DIR");
  add_one("list", "Systems, and how many results there are", list)
      ->add_option("--format", options->format, "Output")
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->capture_default_str();
  add_one("export", "Writes <backend>.json, as the suites do, into a folder", export_files)
      ->add_option("--out", options->out, "Folder")
      ->required()
      ->type_name("DIR");
}

}  // namespace

Command db_command() { return {.add = add_db}; }

}  // namespace benanza::analysis
