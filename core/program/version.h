#pragma once

#include <string>
#include <utility>
#include <vector>

namespace benanza {

/// {"oneDNN", "2.6.3"}.
using LibraryVersion = std::pair<std::string, std::string>;

/// Of the project: "0.1.0".
std::string project_version();

/// What --version prints: the program and the project's version, the commit that the build was
/// configured at where it is known, the compiler and the type of build, and `libraries`, a line
/// each.
std::string version_text(const std::string& program, const std::vector<LibraryVersion>& libraries);

}  // namespace benanza
