// benanza-analyze rows: every measurement as a row of one CSV table, for pandas, R or a
// spreadsheet.

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/input/database.h"
#include "analysis/input/results.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/text.h"
#include "core/problem/text.h"
#include "core/results_file/read_rows.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {
namespace {

struct RowColumn {
  std::string_view name{};
  std::function<std::string(const Row&, const Origin&)> text{};
};

std::string flag_text(const std::optional<bool>& value) {
  return value ? (*value ? "true" : "false") : "";
}

/// The field of the system, or "".
std::string field_of(const Origin& origin, const std::string& name) {
  const auto found = origin.system.find(name);
  return found == origin.system.end() ? "" : found->second;
}

/// A GPU, or the processor.
std::string device_text(const Origin& origin) {
  const std::string device = field_of(origin, "device");
  return device.empty() ? field_of(origin, "cpu_model") : device;
}

template <class T>
RowColumn number(std::string_view name, std::optional<T> Row::*member) {
  return {name, [member](const Row& row, const Origin&) { return number_text(row.*member); }};
}

std::vector<RowColumn> name_columns() {
  return {
      {"device", [](const Row&, const Origin& of) { return device_text(of); }},
      {"library", [](const Row&, const Origin& of) { return library_name(of.backend, of.system); }},
      {"threads", [](const Row&, const Origin& of) { return field_of(of, "threads"); }},
      {"operator",
       [](const Row& row, const Origin&) { return std::string(op_of(row.variant.key)); }},
      {"problem", [](const Row& row, const Origin&) { return row.variant.key; }},
      {"precision",
       [](const Row& row, const Origin&) { return std::string(to_string(row.variant.precision)); }},
      {"layout",
       [](const Row& row, const Origin&) { return std::string(to_string(row.variant.layout)); }},
      {"backend", [](const Row& row, const Origin&) { return row.variant.backend; }},
      {"algorithm", [](const Row& row, const Origin&) { return row.variant.algorithm; }},
      {"cold", [](const Row& row, const Origin&) { return flag_text(row.variant.cold); }},
      {"process",
       [](const Row& row, const Origin&) { return std::to_string(row.process_number()); }},
      {"repetition", [](const Row& row, const Origin&) { return std::to_string(row.repetition); }}};
}

std::vector<RowColumn> outcome_columns() {
  return {
      {"status", [](const Row& row, const Origin&) { return std::string(to_string(row.status)); }},
      {"seconds",
       [](const Row& row, const Origin&) {
         return row.samples.empty() ? "" : fmt::format("{}", median(row.samples));
       }},
      number("flops", &Row::flops),
      number("bytes", &Row::bytes),
      number("workspace_bytes", &Row::workspace_bytes),
      number("heuristic_rank", &Row::heuristic_rank),
      {"tensor_cores", [](const Row& row, const Origin&) { return flag_text(row.tensor_cores()); }},
      number("rotating_seconds", &Row::rotating_seconds),
      number("energy_joules", &Row::energy_joules),
      {"disturbed", [](const Row& row, const Origin&) { return row.disturbed; }},
      {"reason", [](const Row& row, const Origin&) { return row.reason; }}};
}

/// Prints rows as soon as they are read: there may be millions.
class RowPrinter {
 public:
  RowPrinter() : columns_(name_columns()) {
    for (RowColumn& column : outcome_columns()) columns_.push_back(std::move(column));
    for (const RowColumn& column : columns_) add(std::string(column.name));
    end_line();
  }
  void print_row(const Row& row, const Origin& origin) {
    for (const RowColumn& column : columns_) add(column.text(row, origin));
    end_line();
  }
  void finish() { print(std::exchange(text_, "")); }

 private:
  void add(const std::string& field) {
    if (!is_at_begin_) text_ += ',';
    is_at_begin_ = false;
    text_ += csv_field(field);
  }
  void end_line() {
    constexpr std::size_t much = 1 << 20;
    text_ += '\n';
    is_at_begin_ = true;
    if (text_.size() > much) finish();
  }

  std::vector<RowColumn> columns_;
  std::string text_;
  bool is_at_begin_ = true;
};

void print_database(const std::filesystem::path& path, RowPrinter& printer) {
  Database database(path);
  for (const Origin& origin : database.origins()) {
    database.all(origin.backend, [&](Row&& row) { printer.print_row(row, origin); });
  }
}

void print_file(const std::filesystem::path& path, RowPrinter& printer) {
  Origin of_file;
  read_rows_and_journal(path, {.begin = [&](const Origin& origin) { of_file = origin; },
                               .add = [&](Row&& row) { printer.print_row(row, of_file); }});
}

Action ask_rows(Flags& flags) {
  const auto results = std::make_shared<std::vector<std::string>>();
  flags.add("results", *results, "Results of the suites; folders are searched", "FILE|DIR|DB");
  return [results] {
    RowPrinter printer;
    for (const auto& path : result_files({results->begin(), results->end()})) {
      if (is_database(path)) {
        print_database(path, printer);
      } else {
        print_file(path, printer);
      }
    }
    printer.finish();
  };
}

}  // namespace

Question rows_question() {
  return {.name = "rows",
          .help = "Every measurement as a row of one CSV table, for pandas or a spreadsheet",
          .ask = ask_rows};
}

}  // namespace benanza::analysis
