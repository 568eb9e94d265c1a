#pragma once

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "record/logs/shared/log.h"

/// Lines of oneDNN's log in tests.
namespace benanza::record {

/// Parses "KIND,IMPLEMENTATION,PROP_KIND,MEMORY,ATTRIBUTES,AUXILIARY,PROBLEM", as in the log.
inline CallText call(const std::string& line) {
  std::istringstream stream(line);
  CallText text{.source = "onednn", .engine = "cpu"};
  for (std::string* field : {&text.kind, &text.implementation, &text.prop_kind, &text.memory,
                             &text.attributes, &text.auxiliary, &text.problem}) {
    std::getline(stream, *field, ',');
  }
  return text;
}

inline CallProblems problems_of(const CallText& text) {
  return problems_of_call(library_logs(), text);
}

inline std::vector<std::string> keys(const std::string& line) {
  const CallProblems problems = problems_of(call(line));
  EXPECT_EQ(problems.reason.empty(), !problems.problems.empty()) << problems.reason;
  std::vector<std::string> list;
  for (const Problem& problem : problems.problems) list.push_back(key(problem));
  if (list.empty()) list.push_back(problems.reason);
  return list;
}

inline std::string reason(const std::string& line) {
  const CallProblems problems = problems_of(call(line));
  EXPECT_THAT(problems.problems, testing::IsEmpty());
  return problems.reason;
}

}  // namespace benanza::record
