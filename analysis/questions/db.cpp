// benanza-analyze db: results of many runs in one SQLite file.

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "analysis/input/database.h"
#include "analysis/input/results.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
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

Section tallies_section(const std::vector<DatabaseTally>& tallies) {
  using Row = DatabaseTally;
  Table<Row> table{{"backend", "backend", &Row::backend},
                   {"precision", "precision", &Row::precision},
                   {"layout", "layout", &Row::layout},
                   {"problems", "problems", &Row::problems},
                   {"rows", "rows", &Row::rows}};
  for (const Status status : statuses) {
    const std::string name(to_string(status));
    table.add({name, name, [status](const Row& row) {
                 const auto found = row.by_status.find(status);
                 return found == row.by_status.end() ? std::size_t{0} : found->second;
               }});
  }
  return {.blocks = {table.sheet(tallies, {.name = "rows"})}, .csv_facts = {}};
}

void list(const DbOptions& options) {
  Database database(options.database);
  Page page{.command = "db list", .flat = true};
  for (const Origin& origin : database.origins()) page.systems[origin.backend] = origin.system;
  page.sections.push_back(tallies_section(database.tallies()));
  print(page_text(page, options.format, std::numeric_limits<std::size_t>::max()));
}

void export_files(const DbOptions& options) {
  Database database(options.database);
  for (const auto& file : export_results(database, options.out)) print(file.string() + '\n');
}

Action ask_db(Flags& flags) {
  const auto options = std::make_shared<DbOptions>();
  const auto database = [options](Flags& command) {
    command.add("database", options->database, "SQLite file", "DB");
  };
  flags.add_command("import", "Adds results of the suites; rows that are there already are skipped",
                    [=](Flags& command) -> Action {
                      database(command);
                      command.add("results", options->results,
                                  "Google Benchmark JSON; folders are searched", "FILE|DIR");
                      return [options] { import_files(*options); };
                    });
  flags.add_command("list", "Systems, and how many results there are",
                    [=](Flags& command) -> Action {
                      database(command);
                      command.add_word("--format", options->format,
                                       {"table", "markdown", "json", "csv"}, "Output");
                      return [options] { list(*options); };
                    });
  flags.add_command("export", "Writes <backend>.json, as the suites do, into a folder",
                    [=](Flags& command) -> Action {
                      database(command);
                      command.add_required("--out", options->out, "Folder", "DIR");
                      return [options] { export_files(*options); };
                    });
  return nullptr;
}

}  // namespace

Question db_question() {
  return {.name = "db", .help = "A database of results, for --results", .ask = ask_db};
}

}  // namespace benanza::analysis
