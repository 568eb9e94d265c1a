#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/selection.h"
#include "core/graph_file/graph.h"

namespace CLI {
class App;
}

namespace benanza::analysis {

/// Runs a subcommand after its flags are parsed: prints the answer, or throws Error.
using Action = std::function<void()>;

/// The flags of a subcommand. Values are set when the command line is parsed, so the variables must
/// live until then; their initial contents are the defaults.
class Flags {
 public:
  explicit Flags(CLI::App& command) : command_(command) {}

  /// `name` is "--out", or "results" for a positional argument, which is then required. `kind`
  /// stands for the value in the help: "FILE".
  void add(const std::string& name, std::string& value, const std::string& help,
           const std::string& kind = "");
  void add_required(const std::string& name, std::string& value, const std::string& help,
                    const std::string& kind);
  /// A flag with several values, which `separator` may separate.
  void add(const std::string& name, std::vector<std::string>& values, const std::string& help,
           const std::string& kind = "", char separator = '\0');
  void add(const std::string& name, bool& value, const std::string& help);
  void add(const std::string& name, double& value, double least, double most,
           const std::string& help);
  /// A flag whose value must be one of `words`.
  void add_word(const std::string& name, std::string& value, const std::vector<std::string>& words,
                const std::string& help);

  /// Adds a subcommand, whose flags `ask` adds. The user must then give exactly one subcommand.
  void add_command(const std::string& name, const std::string& help,
                   const std::function<Action(Flags&)>& ask);

 private:
  CLI::App& command_;
};

/// The flags that all questions about models share, as the user typed them.
struct CommonFlags {
  std::vector<std::string> graphs;
  std::vector<std::string> results;
  std::vector<std::string> profiles;
  std::vector<std::string> seen;
  std::vector<std::string> sequences;
  std::vector<std::string> plans;
  /// Empty unless the user said it: precisions_of().
  std::vector<std::string> precisions;
  std::vector<std::string> usual_precisions;
  std::string layout;
  std::vector<std::string> backends;
  bool cold = false;
  std::string weights = "auto";
  std::string fallback;
  std::string max_workspace;
  std::string movement = "exclude";
  bool allow_missing = false;
  std::string format = "table";
  std::string rows = "15";
  std::string html;
};

/// What --precision says; otherwise the usual ones or, instead of fp32, the one that the graphs
/// state (recordings do). Throws Error if graphs state different ones.
std::vector<std::string> precisions_of(const CommonFlags& flags, const std::vector<Graph>& graphs);

/// The backend whose device is asked about; empty: any.
inline std::string first_backend(const CommonFlags& flags) {
  return flags.backends.empty() ? "" : flags.backends.front();
}

/// Adds --graph, --results and --profile, the filter flags and the output flags. `precisions` is
/// the default of --precision, shown in the help.
void add_common_flags(Flags& flags, CommonFlags& values, const std::string& precisions = "fp32");
/// Adds --graph, --results and --profile.
void add_input_flags(Flags& flags, CommonFlags& values);
/// Adds --seen.
void add_seen_flag(Flags& flags, CommonFlags& values);
/// Adds --sequence.
void add_sequence_flag(Flags& flags, CommonFlags& values);
/// Adds --plan.
void add_plan_flag(Flags& flags, CommonFlags& values);
/// Adds the flags that select measurements. `precisions` as in add_common_flags(); if empty, the
/// command has its own default.
void add_filter_flags(Flags& flags, CommonFlags& values, const std::string& precisions);
/// Adds --format and --rows.
void add_output_flags(Flags& flags, CommonFlags& values);
/// Adds --html.
void add_html_flag(Flags& flags, CommonFlags& values);

/// Return the filter for one precision, and the rows of tables. Throw Error for invalid values.
MeasurementFilter filter_of(const CommonFlags& flags, const std::string& precision);
std::size_t rows_of(const CommonFlags& flags);

/// Parses a precision. Throws Error, naming `flag`, if `text` is not one.
Precision precision_of(const std::string& text, std::string_view flag);

/// Parses a size: "4096", "64K", "512M", "2G" (powers of 1024). Throws Error if it is invalid.
std::int64_t bytes_of(const std::string& text, std::string_view flag);

/// Writes to standard output. Throws Error if not all of the text can be written.
void print(std::string_view text);

/// Parses sizes: "3,6,12", or "1:512" for its ends, its powers of two and their midpoints. Throws
/// Error, naming `flag`, if they are invalid.
std::set<std::int64_t> sizes_of(const std::string& text, std::string_view flag);

/// Parses one size of at least `least`. Throws Error, naming `flag`.
std::int64_t size_of(const std::string& text, std::string_view flag, std::int64_t least = 1);

}  // namespace benanza::analysis
