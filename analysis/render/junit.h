#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benanza::analysis {

/// A test of JUnit's XML.
struct JunitCase {
  /// Its class.
  std::string group{};
  std::string name{};
  /// Empty: it passed.
  std::string failure{};
  /// More about the failure, over several lines maybe.
  std::string detail{};
};

/// A suite, and the file of all suites.
std::string junit_suite(std::string_view name, const std::vector<JunitCase>& cases);
std::string junit_document(std::string_view suites);

}  // namespace benanza::analysis
