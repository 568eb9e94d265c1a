// Activity of NVIDIA GPUs: the driver loads a library into the program, which writes a journal for
// each process. The journals are read here.
#include <charconv>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "record/capture/cupti/control.h"
#include "record/capture/cupti_library.h"
#include "record/capture/source.h"
#include "record/capture/tail.h"
#include "record/store/journal.h"

namespace benanza::record {
namespace {

/// Parses the process from e.g. "4711-1763861713.journal".
std::optional<std::int64_t> process_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  std::int64_t process = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc{} || *stop != '-' || !name.ends_with(journal_ending)) return std::nullopt;
  return process;
}

class CuptiSource : public Source {
 public:
  void prepare(Environment& environment, const RunSetup& setup) override {
    const bool counts = !setup.options.kernel_counters.empty();
    is_wanted_ = setup.options.gpu == RecordOptions::Gpu::on || counts || setup.options.memory;
    if (setup.options.gpu == RecordOptions::Gpu::off) {
      if (counts) throw Error("--gpu off: counters of kernels need it on");
      if (setup.options.memory) throw Error("--gpu off: --memory needs it on");
      return;
    }
    const auto library = injected_library();
    if (library.empty()) {
      if (!is_wanted_ && setup.options.range.empty()) return;
      throw Error(
          "--gpu, --range, counters of kernels: this benanza-record was built without CUDA; build "
          "it where the CUDA "
          "Toolkit 13 is");
    }
    if (environment.find("CUDA_INJECTION64_PATH")) {
      if (!is_wanted_) return;
      throw Error("--gpu: another profiler is there (CUDA_INJECTION64_PATH); record without it");
    }
    folder_ = setup.folder;
    range_ = setup.options.range;
    control_.emplace(Control::create(folder_ / control_file));
    environment.set("CUDA_INJECTION64_PATH", library.string());
    if (!environment.find("NVTX_INJECTION64_PATH")) {
      environment.set("NVTX_INJECTION64_PATH", library.string());
    }
    environment.set(folder_variable, folder_.string());
    environment.set(range_variable, setup.options.range);
    environment.set(graphs_variable, setup.options.whole_graphs ? "whole" : "nodes");
    environment.set(memory_variable, setup.options.memory ? "on" : "off");
    environment.set(counters_variable, text::join(setup.options.kernel_counters, ","));
    metrics_ = setup.options.kernel_metrics;
  }

  void set_active(bool active) override {
    if (control_) control_->set_active(active);
  }

  void poll(double start, RecordingWriter& writer) override {
    if (!control_) return;
    for (const auto& [name, expression] : std::exchange(metrics_, {})) {
      writer.add_kernel_metric(name, expression);
    }
    control_->count_beat();
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const auto process = process_of(entry.path());
      if (process) journals_.try_emplace(entry.path(), *process, entry.path());
    }
    for (auto& [path, journal] : journals_) journal.read(start, writer, *this);
  }

  void saved() override {
    for (auto& [path, journal] : journals_) journal.tail.release();
  }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> lines(errors_.begin(), errors_.end());
    if (lost_ > 0) {
      lines.push_back(std::to_string(lost_) +
                      " events of GPUs are lost: more came than could be written; --graphs whole, "
                      "--range or --duration record less");
    }
    if (is_wanted_ && journals_.empty()) {
      lines.push_back("the program never touched a GPU");
    }
    if (!range_.empty() && !has_work_ && !journals_.empty()) {
      lines.push_back("nothing happened inside of a range \"" + range_ +
                      "\": no work of a GPU was launched while a thread was in an NVTX range of "
                      "exactly this name");
    }
    return lines;
  }

 private:
  struct Journal {
    Journal(std::int64_t id, const std::filesystem::path& file) : process(id), tail(file) {}

    void read(double start, RecordingWriter& writer, CuptiSource& source) {
      tail.read([&](std::string_view bytes) {
        return reader.feed(bytes, [&](const Event& event) {
          source.look(process, event);
          writer.add(process, start, event);
        });
      });
    }

    std::int64_t process;
    Tail tail;
    JournalReader reader;
  };

  void look(std::int64_t process, const Event& event) {
    if (const auto* note = std::get_if<NoteEvent>(&event); note != nullptr && note->is_error) {
      errors_.insert("process " + std::to_string(process) +
                     ": not all work of its GPU is recorded: " + std::string(note->text));
    }
    if (const auto* lost = std::get_if<LostEvent>(&event)) lost_ += lost->events;
    has_work_ = has_work_ || std::holds_alternative<KernelEvent>(event) ||
                std::holds_alternative<CopyEvent>(event) ||
                std::holds_alternative<GraphEvent>(event) ||
                std::holds_alternative<CounterEvent>(event);
  }

  bool is_wanted_ = false;
  std::filesystem::path folder_;
  std::optional<Control> control_;
  /// Those of the options that are not in the recording yet.
  std::vector<std::pair<std::string, std::string>> metrics_;
  std::map<std::filesystem::path, Journal> journals_;
  std::set<std::string> errors_;
  std::uint64_t lost_ = 0;
  std::string range_;
  bool has_work_ = false;
};

}  // namespace

std::unique_ptr<Source> make_cupti_source() { return std::make_unique<CuptiSource>(); }

}  // namespace benanza::record
