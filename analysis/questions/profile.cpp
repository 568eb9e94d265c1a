// benanza-analyze profile: a flat profile of recorded programs.

#include <memory>

#include "analysis/input/results.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/profile/measured.h"
#include "analysis/questions/profile/section.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "record/views/perfetto.h"
#include "record/views/tau.h"

namespace benanza::analysis {
namespace {

struct ProfileOptions {
  CommonFlags output;
  std::vector<std::string> recordings;
  std::vector<std::string> results;
  std::string perfetto;
  std::string tau;
};

/// What the suites measured of the calls of the one recording.
void add_measured(Section& section, const ProfileOptions& options,
                  const std::vector<Recorded>& recorded) {
  if (recorded.size() > 1) throw Error("--results: takes one recording");
  const Recorded& one = recorded.front();
  const bool of_gpu = !one.device.library_call_times.empty();
  const auto times = of_gpu ? one.device.library_call_times : host_calls(one.totals);
  if (times.empty()) {
    throw Error("--results: " + one.file +
                (one.has_device ? ": knows of no call's kernels; record with --library-logs"
                                : ": has no call that is a problem of the suites"));
  }
  KeySet wanted;
  for (const LibraryCallTime& time : times) wanted.insert(time.text.problem);
  const Results results = read_results({options.results.begin(), options.results.end()}, wanted);
  const auto calls = measured_calls(times, results.measurements);
  section.add(Entry{"measured", measured_text(calls)});
  section.facts["measured"] = measured_facts(calls);
  if (const std::string other = other_version(one.libraries, results); !other.empty()) {
    section.add(Entry{"versions", other});
  }
  section.add(measured_sheet(calls, of_gpu ? "gpu_measured" : "host_measured"));
}

void profile_answer(const ProfileOptions& options) {
  const std::vector<Recorded> recorded = read_recordings(options.recordings);
  Section section = profile_overview(recorded);
  add_profile_plots(section, recorded);
  if (!options.results.empty()) add_measured(section, options, recorded);
  add_profile_tables(section, recorded);
  Page page{.command = "profile", .flat = true};
  page.sections.push_back(std::move(section));
  if (!options.perfetto.empty()) {
    write_file(options.perfetto, perfetto_trace(options.recordings));
  }
  if (!options.tau.empty()) {
    if (options.recordings.size() > 1) throw Error("--tau: takes one recording");
    write_tau(RecordingReader(options.recordings.front()), options.tau);
  }
  publish(page, options.output, "profile");
}

Action ask_profile(Flags& flags) {
  const auto options = std::make_shared<ProfileOptions>();
  flags.add("recordings", options->recordings,
            "Files of benanza-record; several are shown side by side", "RECORDING");
  flags.add("--results", options->results,
            "Measurements of the recorded library calls (suite of benanza-generate --recording) to "
            "compare with",
            "FILE|DIR|DB");
  add_output_flags(flags, options->output);
  flags.add("--perfetto", options->perfetto,
            "Also write every call to this file, as a trace for Perfetto", "FILE");
  flags.add("--tau", options->tau, "Also write TAU's profile files (profile.0.0.*) to this folder",
            "FOLDER");
  add_html_flag(flags, options->output);
  return [options] { profile_answer(*options); };
}

}  // namespace

Question profile_question() {
  return {
      .name = "profile",
      .help = "A flat profile of recorded programs: time by call, kernel, copy, range and thread",
      .ask = ask_profile};
}

}  // namespace benanza::analysis
