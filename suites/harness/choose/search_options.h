#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace benanza::harness {

struct SuiteOptions;

/// Parses seconds, "0.5" or "0.5s". Throws Error naming the flag.
double seconds(std::string_view flag, std::string_view text);

/// The flags of a search, as text.
struct SearchArguments {
  std::string margin;
  std::string limit;
};
void add_search_flags(CLI::App& app, SearchArguments& arguments);
/// Sets the rules of the race. Throws Error for what does not go with a search, which decides
/// itself what is measured, and for flags without one.
void take_search(const SearchArguments& arguments, SuiteOptions& options);

}  // namespace benanza::harness
