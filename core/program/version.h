#pragma once

#include <string>
#include <utility>
#include <vector>

namespace benanza {

/// {"oneDNN", "2.6.3"}.
using LibraryVersion = std::pair<std::string, std::string>;

/// The version of the project: "0.1.0".
std::string project_version();

/// The output of --version: the program and the project's version, the commit at which the build
/// was configured, if known, the compiler and the build type, and `libraries`, one per line.
std::string version_text(const std::string& program, const std::vector<LibraryVersion>& libraries);

}  // namespace benanza
