#include "suites/onednn/backend.h"

#include <omp.h>

#include <sstream>

#include "core/base/error.h"
#include "suites/harness/conditions/anchors.h"
#include "suites/harness/conditions/energy_meter.h"
#include "suites/harness/conditions/host_observer.h"
#include "suites/harness/machine_context.h"
#include "suites/harness/measure/host_stopwatch.h"
#include "suites/harness/own_flags.h"
#include "suites/onednn/api/api.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/peaks/measure_peaks.h"
#include "suites/onednn/ways.h"
#include "suites/onednn/ways/memory_format.h"

namespace benanza::onednn {

CpuOptions take_cpu_options(int& argc, char** argv, const Environment& environment) {
  CpuOptions options;
  if (const char* const peaks = environment("BENANZA_PEAKS"); peaks != nullptr && *peaks != 0) {
    options.peaks = peaks;
  }
  harness::take_flags(argc, argv, [&](std::string_view argument) {
    const auto peaks = harness::flag_value(argument, "--peaks");
    if (!peaks) return false;
    if (peaks->empty()) throw Error("--peaks=: expected measure, none or a results file");
    options.peaks = *peaks;
    return true;
  });
  return options;
}

std::vector<harness::BackendFlag> cpu_flags() {
  return {{"--peaks", "SOURCE",
           "peaks of arithmetic and bandwidth: measure (default), none, or a results file of this "
           "machine (also BENANZA_PEAKS)"}};
}

namespace {

std::string isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      break;
  }
  if (const std::string_view name = api::own_isa_name(isa); !name.empty()) return std::string(name);
  std::ostringstream number;
  number << "0x" << std::hex << static_cast<unsigned>(isa);
  return number.str();
}

std::string runtime_name(unsigned runtime) {
  switch (runtime) {
    case DNNL_RUNTIME_SEQ:
      return "sequential";
    case DNNL_RUNTIME_OMP:
      return "OpenMP";
    case DNNL_RUNTIME_TBB:
      return "TBB";
    case DNNL_RUNTIME_THREADPOOL:
      return "threadpool";
    default:
      return std::to_string(runtime);
  }
}

/// Returns the processor, the instruction set that the library uses, the number of threads, and the
/// version of the loaded library (not of the header).
System describe_system() {
  const dnnl_version_t& version = *dnnl_version();
  return {{"cpu_model", harness::cpu_model()},
          {"cpu_isa", isa_name(dnnl::get_effective_cpu_isa())},
          {"cache_bytes", std::to_string(harness::CacheFlush::of_this_machine().cache_bytes)},
          {"large_pages", harness::large_pages()},
          {"threads", std::to_string(omp_get_max_threads())},
          {"onednn_version", std::to_string(version.major) + "." + std::to_string(version.minor) +
                                 "." + std::to_string(version.patch)},
          {"onednn_cpu_runtime", runtime_name(version.cpu_runtime)}};
}

Library open_library() {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return {.engine = engine, .stream = dnnl::stream(engine)};
}

class OnednnBackend final : public harness::TableBackend<Library> {
 public:
  explicit OnednnBackend(CpuOptions options)
      : TableBackend("oneDNN", way_table()),
        options_(std::move(options)),
        library_(open_library()),
        stopwatch_([stream = library_.stream]() mutable { stream.wait(); },
                   [this] { return measure_peaks(*this, cache_bytes()); }) {
    // The library lists an implementation twice if it is in its primitive cache.
    dnnl::set_primitive_cache_capacity(0);
  }

  std::string_view name() const override { return "onednn"; }
  std::vector<harness::BackendFlag> flags() const override { return cpu_flags(); }
  std::vector<LibraryVersion> libraries() const override {
    return {{"oneDNN", describe_system().at("onednn_version")}};
  }
  std::vector<std::string> devices() const override {
    const System system = describe_system();
    return {"0: " + system.at("cpu_model") + ", " + system.at("threads") + " threads"};
  }
  bool knows_unsigned_data() const override { return true; }
  System system() override { return describe_system(); }
  /// The peaks: determined by the first call, raised by later measurements; and the anchors.
  std::vector<std::pair<std::string, std::string>> context() override {
    auto entries = peak_entries();
    anchors_.sample_block();
    for (auto& entry : anchors_.context_entries()) entries.push_back(std::move(entry));
    return entries;
  }
  harness::Stopwatch& stopwatch() override { return stopwatch_; }
  harness::Allocator& allocator() override { return allocator_; }
  std::unique_ptr<harness::Primitive> conversion(const harness::MemoryFormat& from,
                                                 std::byte* source, const harness::MemoryFormat& to,
                                                 std::byte* target) override {
    return make_conversion(library_.engine, library_.stream, from, source, to, target);
  }
  void gather(const harness::RowGather& rows) override { harness::gather_on_host(rows); }
  harness::Observer* observer() override { return &anchored_; }
  harness::EnergyMeter* energy_meter() override {
    return meter_.is_available() ? &meter_ : nullptr;
  }

 private:
  Library& library() override { return library_; }

  static std::int64_t cache_bytes() { return harness::CacheFlush::of_this_machine().cache_bytes; }
  std::vector<std::pair<std::string, std::string>> peak_entries() {
    if (options_.peaks == "none") return {{"peaks", "not measured"}};
    if (!stopwatch_.peaks()) stopwatch_.set_peaks(find_peaks());
    auto entries = harness::context_entries(*stopwatch_.peaks());
    if (options_.peaks != "measure") entries.emplace_back("peaks", "of " + options_.peaks);
    return entries;
  }
  harness::Peaks find_peaks() {
    if (options_.peaks == "measure") return measure_peaks(*this, cache_bytes());
    return harness::read_peaks(options_.peaks, describe_system(),
                               {"cpu_model", "cpu_isa", "threads"}, cache_bytes());
  }

  CpuOptions options_;
  Library library_;
  harness::HostAllocator allocator_;
  GuardedStopwatch stopwatch_;
  harness::HostObserver observer_{harness::CacheFlush::of_this_machine().processors};
  harness::Anchors anchors_{harness::host_anchors()};
  harness::AnchoredObserver anchored_{observer_, anchors_};
  harness::RaplMeter meter_;
};

}  // namespace

std::unique_ptr<harness::Backend> make_backend(const CpuOptions& options) {
  return library_call("engine", [&] { return std::make_unique<OnednnBackend>(options); });
}

}  // namespace benanza::onednn
