#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "core/tests/folder.h"
#include "suites/tests/harness/program.h"

namespace benanza::harness {

inline std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

inline constexpr const char* all_relu = "--benchmark_filter=relu";

/// Runs a suite's program; its files go into a folder of the test's own.
struct Suite : ::testing::Test {
  static Finished run(std::vector<std::string> arguments) {
    return run_program({.arguments = std::move(arguments)});
  }
  std::string out_flag() const { return "--benchmark_out=" + file.string(); }
  nlohmann::json document() const { return nlohmann::json::parse(read_file(file)); }
  nlohmann::json rows() const { return document().at("benchmarks"); }
  std::multiset<std::string> names() const {
    std::multiset<std::string> result;
    for (const nlohmann::json& row : rows()) result.insert(row.at("name"));
    return result;
  }
  /// The number of rows in the journal; -1 if there is no journal or it is empty.
  std::ptrdiff_t rows_in_journal() const {
    const std::filesystem::path journal = file.string() + ".journal";
    if (!std::filesystem::exists(journal)) return -1;
    const std::string text = read_file(journal);
    return std::count(text.begin(), text.end(), '\n') - 1;  // the first line is the origin
  }
  /// A run that times this many primitives and then waits for open_gate().
  Request held_after(std::ptrdiff_t primitives, std::vector<std::string> arguments) {
    std::filesystem::remove(gate);
    std::filesystem::remove(gate.string() + ".reached");
    return {.arguments = std::move(arguments),
            .environment = {{"FAKE_HOLD_AFTER", std::to_string(primitives)},
                            {"FAKE_GATE", gate.string()}}};
  }
  void await_gate() const {
    const auto reached = gate.string() + ".reached";
    for (int tries = 0; !std::filesystem::exists(reached); ++tries) {
      ASSERT_LT(tries, 60'000) << "the program does not get to its gate";
      ::usleep(1'000);
    }
  }
  void open_gate() const { write_file(gate, ""); }
  /// Expects one line on stderr, nothing on stdout, and exit status 1.
  static void expect_error(const Finished& finished, const std::string& message) {
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(lines(finished.err),
                ::testing::ElementsAre(::testing::AllOf(::testing::HasSubstr("bench_fake: "),
                                                        ::testing::HasSubstr(message))));
  }

  test::Folder folder;
  test::Folder gates;
  std::filesystem::path gate = gates / "gate";
  std::filesystem::path file = folder / "r.json";
};

}  // namespace benanza::harness
