#pragma once

#include <optional>
#include <string_view>

namespace benanza::harness {

/// The text after "--flag=", if `argument` starts with it.
inline std::optional<std::string_view> flag_value(std::string_view argument,
                                                  std::string_view flag) {
  if (!argument.starts_with(flag)) return std::nullopt;
  argument.remove_prefix(flag.size());
  if (!argument.starts_with('=')) return std::nullopt;
  return argument.substr(1);
}

/// Removes from main()'s arguments those for which `take` returns true.
template <class Take>
void take_flags(int& argc, char** argv, const Take& take) {
  int kept = 1;
  for (int index = 1; index < argc; ++index) {
    if (!take(std::string_view(argv[index]))) argv[kept++] = argv[index];
  }
  if (kept < argc) argv[kept] = nullptr;
  argc = kept;
}

}  // namespace benanza::harness
