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

/// Runs the program of a suite; what it writes goes into a folder of the test's own.
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
  /// -1 if there is no journal, or only an empty one.
  std::ptrdiff_t rows_in_journal() const {
    const std::filesystem::path journal = file.string() + ".journal";
    if (!std::filesystem::exists(journal)) return -1;
    const std::string text = read_file(journal);
    return std::count(text.begin(), text.end(), '\n') - 1;  // the first says whose they are
  }
  /// Until a running program has got that far.
  void await_rows(std::ptrdiff_t count) const {
    for (int tries = 0; rows_in_journal() < count; ++tries) {
      ASSERT_LT(tries, 20'000) << "the program does not get to its row number " << count;
      ::usleep(1'000);
    }
  }
  /// One line on stderr, nothing on stdout, status 1.
  static void expect_error(const Finished& finished, const std::string& message) {
    EXPECT_EQ(finished.status, 1);
    EXPECT_EQ(finished.out, "");
    EXPECT_THAT(lines(finished.err),
                ::testing::ElementsAre(::testing::AllOf(::testing::HasSubstr("bench_fake: "),
                                                        ::testing::HasSubstr(message))));
  }

  test::Folder folder;
  std::filesystem::path file = folder / "r.json";
};

}  // namespace benanza::harness
