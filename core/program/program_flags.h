#pragma once

#include <functional>
#include <vector>

#include "core/program/version.h"

namespace CLI {
class App;
}

namespace benanza {

/// The versions of the libraries that are loaded, asked when they are needed.
using AskLibraries = std::function<std::vector<LibraryVersion>()>;

/// What every program of Benanza has beside its own flags: --version, and, for packagers, --man and
/// --completion bash|zsh, which --help does not show. Each makes parsing end with a CLI::Success
/// whose what() is the text to print; `app.exit()` prints it. `app` has a name.
void add_program_flags(CLI::App& app, AskLibraries libraries = {});

}  // namespace benanza
