#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace benanza::onednn {

/// OpenMP's variables with which calls still take what they take alone although other processes
/// keep processors busy: threads stay apart, and sleep soon while they wait for each other. Threads
/// that spin use up their time until the other one is there, so that each waits for the other; a
/// call then takes a hundred times as long. None if the user has set such a variable: `variable`
/// is std::getenv().
std::vector<std::pair<std::string, std::string>> variables_of_busy_machine(
    const std::function<const char*(const char*)>& variable);

/// If other processes keep this machine's processors busy, says so and starts the program again,
/// with the same words and these variables, because OpenMP reads them when it is loaded. Returns if
/// the machine is quiet, if the words ask for no measurement, and in later processes of a run.
/// Takes a fifth of a second.
void adapt_to_busy_machine(int argc, char** argv);

}  // namespace benanza::onednn
