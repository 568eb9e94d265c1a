#include "suites/onednn/backend.h"

#include "suites/harness/conditions/anchors.h"
#include "suites/harness/conditions/energy_meter.h"
#include "suites/harness/conditions/host_observer.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/peaks/guarded_stopwatch.h"
#include "suites/onednn/peaks/measure_peaks.h"
#include "suites/onednn/system.h"
#include "suites/onednn/ways.h"
#include "suites/onednn/ways/memory_format.h"

namespace benanza::onednn {
namespace {

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
