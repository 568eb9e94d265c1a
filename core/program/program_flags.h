#pragma once

#include <functional>
#include <vector>

#include "core/program/version.h"

namespace CLI {
class App;
}

namespace benanza {

/// Returns the versions of the loaded libraries; called only when they are needed.
using AskLibraries = std::function<std::vector<LibraryVersion>()>;

/// Adds the flags common to all programs of Benanza: --version, and, for packagers and hidden from
/// --help, --man and --completion bash|zsh. Each makes parsing end with a CLI::Success whose what()
/// is the text to print; `app.exit()` prints it. `app` must have a name.
void add_program_flags(CLI::App& app, AskLibraries libraries = {});

}  // namespace benanza
