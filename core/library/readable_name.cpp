#include "core/library/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace benanza {
namespace {

constexpr std::size_t longest_name = 1 << 14;

struct Free {
  void operator()(char* text) const { std::free(text); }
};

/// "cudaLaunchKernel_v7000" becomes "cudaLaunchKernel".
std::string_view without_version(std::string_view name) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t last = name.find_last_not_of(digits);
  const bool has_version = last != std::string_view::npos && last + 4 < name.size() && last > 0 &&
                           name.substr(last - 1, 2) == "_v";
  if (!has_version) return name;
  name = name.substr(0, last - 1);
  for (const std::string_view stream : {"_ptsz", "_ptds"}) {
    if (name.ends_with(stream)) name.remove_suffix(stream.size());
  }
  return name;
}

}  // namespace

std::string readable_name(std::string_view name) {
  if (name.starts_with("cuda")) return std::string(without_version(name));
  if (!name.starts_with("_Z")) return std::string(name);
  std::string mangled(name);
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  if (status != 0 || !text) return mangled;
  return std::string(std::string_view(text.get()).substr(0, longest_name));
}

}  // namespace benanza
