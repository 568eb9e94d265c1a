#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/selection.h"

namespace CLI {
class App;
}

namespace benanza::analysis {

/// Runs a subcommand once its flags are read: prints the answer, or throws Error.
using Action = std::function<void()>;

/// The flags of a subcommand. Values are set when the command line is read, so they must live until
/// then; what they hold before is the default.
class Flags {
 public:
  explicit Flags(CLI::App& command) : command_(command) {}

  /// `name`: "--out", or "results" for an argument without a name, which must then be given.
  /// `kind` stands for the value in the help: "FILE".
  void add(const std::string& name, std::string& value, const std::string& help,
           const std::string& kind = "");
  void add_required(const std::string& name, std::string& value, const std::string& help,
                    const std::string& kind);
  /// The same for one that takes several values; `separator` may stand between them.
  void add(const std::string& name, std::vector<std::string>& values, const std::string& help,
           const std::string& kind = "", char separator = '\0');
  void add(const std::string& name, bool& value, const std::string& help);
  void add(const std::string& name, double& value, double least, double most,
           const std::string& help);
  /// One of `words`.
  void add_word(const std::string& name, std::string& value, const std::vector<std::string>& words,
                const std::string& help);

  /// A subcommand of this one, of which one must be given. `ask` adds its flags.
  void add_command(const std::string& name, const std::string& help,
                   const std::function<Action(Flags&)>& ask);

 private:
  CLI::App& command_;
};

/// The flags that questions about models have in common, as they were typed.
struct CommonFlags {
  std::vector<std::string> graphs;
  std::vector<std::string> results;
  std::vector<std::string> profiles;
  std::vector<std::string> seen;
  std::vector<std::string> precisions;
  std::string layout;
  std::string backend;
  bool cold = false;
  std::string fallback;
  std::string max_workspace;
  std::string movement = "exclude";
  bool allow_missing = false;
  std::string format = "table";
  std::string rows = "15";
};

/// All three groups below. `precisions` is the default of --precision, shown in the help.
void add_common_flags(Flags& flags, CommonFlags& values, const std::string& precisions = "fp32");
/// --graph, --results, --profile.
void add_input_flags(Flags& flags, CommonFlags& values);
/// --seen.
void add_seen_flag(Flags& flags, CommonFlags& values);
/// Those that say which measurements count. `precisions` as above; empty: the command's own
/// default.
void add_filter_flags(Flags& flags, CommonFlags& values, const std::string& precisions);
/// --format and --rows.
void add_output_flags(Flags& flags, CommonFlags& values);

/// One precision's filter, and the rows of tables. Throw Error for flags that make no sense.
MeasurementFilter filter_of(const CommonFlags& flags, const std::string& precision);
std::size_t rows_of(const CommonFlags& flags);

/// Throws Error where `text` is no precision.
Precision precision_of(const std::string& text, std::string_view flag);

/// Bytes: "4096", "64K", "512M", "2G" (powers of 1024). Throws Error.
std::int64_t bytes_of(const std::string& text, std::string_view flag);

/// Writes an answer to standard output. Throws Error if it cannot all be written.
void print(std::string_view text);

}  // namespace benanza::analysis
