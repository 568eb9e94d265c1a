// oneDNN's own log, ONEDNN_VERBOSE: one line per call, with its time, on standard output.
#include <charconv>

#include "suites/record/onednn_verbose.h"
#include "suites/record/source.h"

namespace benanza::record {
namespace {

/// Version 2 and later read ONEDNN_ and DNNL_, version 1 reads DNNL_, and copies inside frameworks
/// read MKLDNN_.
constexpr std::string_view switches[] = {"ONEDNN_VERBOSE", "DNNL_VERBOSE", "MKLDNN_VERBOSE"};

/// Returns the user's value, extended so that calls are logged; empty if the log is off.
std::optional<std::string> with_calls(const std::string& value) {
  int level = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, level);
  if (error == std::errc{} && stop == end) {
    return level >= 1 ? std::optional(value) : std::nullopt;
  }
  if (value.empty() || value == "none") return std::nullopt;
  const bool has = value.find("all") != std::string::npos ||
                   value.find("profile_exec") != std::string::npos ||
                   value.find("profile,") != std::string::npos || value.ends_with("profile");
  return has ? value : value + ",profile_exec";
}

class OnednnSource : public Source {
 public:
  void prepare(Environment& environment, const Plan&) override {
    for (const std::string_view name : switches) {
      const auto value = environment.find(name).value_or("");
      const auto wanted = with_calls(value);
      if (wanted) passes_ = true;
      environment.set(name, wanted.value_or("1"));
    }
    // In versions that support it, each line then contains the start time of its call.
    environment.set("ONEDNN_VERBOSE_TIMESTAMP", "1");
    environment.set("DNNL_VERBOSE_TIMESTAMP", "1");
  }

  std::vector<std::string_view> markers() const override {
    return {"onednn_verbose,", "dnnl_verbose,", "mkldnn_verbose,"};
  }

  Taken take(std::string_view line, std::optional<double> start, std::optional<double> arrived,
             RecordingWriter& writer) override {
    const auto parsed = parse_onednn_line(line);
    if (!parsed) return Taken::no;
    if (parsed->kind == OnednnLine::Kind::info && parsed->info.find("template:") > 5) {
      writer.add_library("onednn", parsed->info);
    }
    if (parsed->kind == OnednnLine::Kind::exec) {
      ArrivedCall call{
          .text = parsed->call, .arrived = arrived, .milliseconds = parsed->milliseconds};
      if (parsed->timestamp && start) call.started = *parsed->timestamp * 1e-3 - *start;
      writer.add(call);
    }
    return Taken::yes;
  }

  bool passes_lines() const override { return passes_; }

 private:
  bool passes_ = false;
};

}  // namespace

std::unique_ptr<Source> make_onednn_source() { return std::make_unique<OnednnSource>(); }

}  // namespace benanza::record
