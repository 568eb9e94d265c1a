#include "analysis/questions/profile/host_calls.h"

#include <algorithm>
#include <cctype>

#include "core/problem/problem.h"
#include "core/results_file/origin.h"
#include "record/logs/shared/call_text.h"
#include "record/logs/shared/log.h"

namespace benanza::analysis {

std::vector<LibraryCallTime> host_calls(const std::vector<CallTotal>& totals) {
  const std::vector<record::Log> logs = record::library_logs();
  std::vector<LibraryCallTime> calls;
  for (const CallTotal& total : totals) {
    if (total.timed_calls == 0) continue;
    const record::CallProblems meaning = record::problems_of_call(logs, total.text);
    if (meaning.problems.size() != 1 || !meaning.precision) continue;
    LibraryCallTime call{.text = total.text, .calls = total.timed_calls, .seconds = total.seconds};
    call.text.problem = key(meaning.problems.front());
    call.text.memory = to_string(CallMemory{meaning.precision, meaning.layout});
    calls.push_back(std::move(call));
  }
  std::ranges::stable_sort(calls, std::ranges::greater{}, &LibraryCallTime::seconds);
  return calls;
}

std::string other_version(const std::vector<std::string>& libraries, const Results& results) {
  for (const auto& [backend, system] : results.systems) {
    const std::optional<std::string> measured = library_version(backend, system);
    if (!measured) continue;
    for (const std::string& recorded : libraries) {
      // "oneDNN v2.6.3 (commit ...)".
      const std::size_t at = recorded.find(" v");
      if (at == std::string::npos) continue;
      std::string name = recorded.substr(0, at);
      std::ranges::transform(name, name.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
      });
      const std::string version = recorded.substr(at + 2, recorded.find(' ', at + 2) - at - 2);
      if (name != backend || version == *measured) continue;
      return "recorded with " + recorded.substr(0, at) + ' ' + version + ", measured with " +
             *measured;
    }
  }
  return "";
}

}  // namespace benanza::analysis
