#include "core/library/algorithm.h"
#include "core/problem/name.h"
#include "record/logs/shared/call_problems.h"

namespace benanza::record {
namespace {

std::vector<std::string> variants_of_key(const CallText& text, const CallMemory& memory) {
  const std::string algorithm = suite_algorithm(text.implementation);
  if (text.source != "cudnn" || algorithm.empty() || !memory.data || !memory.layout) return {};
  VariantName name{.key = text.problem,
                   .precision = *memory.data,
                   .layout = *memory.layout,
                   .backend = text.source,
                   .algorithm = algorithm};
  std::vector<std::string> names{to_string(name)};
  if (memory.data == Precision::fp32) {
    name.precision = Precision::tf32;
    names.push_back(to_string(name));
  }
  return names;
}

}  // namespace

CallProblems problems_of_key(const CallText& text) {
  CallProblems result;
  const CallMemory memory = read_call_memory(text.memory);
  result.precision = memory.data;
  if (text.problem.empty()) {
    result.reason = text.kind + (text.auxiliary.empty() ? "" : " ") + text.auxiliary +
                    ": no problem is known for it";
    return result;
  }
  try {
    result.problems.push_back(parse(text.problem));
    result.variants = variants_of_key(text, memory);
  } catch (const std::exception& reason) {
    result.reason = text.kind + ' ' + text.problem + ": " + reason.what();
  }
  return result;
}

}  // namespace benanza::record
