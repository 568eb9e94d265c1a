// The library that a recorded program loads (CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH): it
// registers with CUPTI and writes a journal. Errors become lines in that journal; the program
// continues.
#include <cupti.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/nvidia/cupti.h"
#include "record/capture/cupti/buffers.h"
#include "record/capture/cupti/control.h"
#include "record/capture/cupti/convert.h"
#include "record/capture/cupti/find_cupti.h"
#include "record/capture/cupti/kernel_counters.h"
#include "record/capture/cupti/listener.h"
#include "record/capture/cupti/windows.h"
#include "record/store/journal.h"

namespace benanza::record {
namespace {

using nvidia::Cupti;

/// Every thread that calls CUDA fills a buffer of its own. Their total size is limited to
/// buffer_bytes * most_buffers.
constexpr std::size_t buffer_bytes = std::size_t{512} << 10;
constexpr std::size_t most_buffers = 256;
constexpr auto step = std::chrono::milliseconds(10);
constexpr int steps_between_flushes = 100;
/// A recorder whose beat() has not changed for this long is gone.
constexpr int steps_of_patience = 6000;

/// The kinds of activity records. Excluded because of their overhead on eager ResNet-50 on an H200:
/// CUPTI_ACTIVITY_KIND_SYNCHRONIZATION adds 28% to a step, CUPTI_ACTIVITY_KIND_RUNTIME and
/// _DRIVER half of one. Instead, the calls that is_recorded_call() accepts, waits included, are
/// enabled one by one (enable_recorded_calls()).
constexpr CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                        CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MARKER};
/// The longest time that an exiting process waits for the worker thread.
constexpr auto longest_wait = std::chrono::seconds(2);

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Splits at commas.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) list.push_back(word);
  return list;
}

FileDescriptor new_journal(const std::filesystem::path& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const auto file =
      folder / (std::to_string(::getpid()) + '-' + std::to_string(now) + journal_ending);
  return FileDescriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

/// Records this process. There is one instance, which is never destroyed because CUPTI's threads
/// outlive everything else.
class Session {
 public:
  /// Null if no recorder is attached.
  static Session* get() {
    static Session* const session = make();
    return session;
  }

  void begin() {
    try {
      cupti_ = find_cupti();
      std::uint32_t version = 0;
      cupti_->call<decltype(cuptiGetVersion)>("cuptiGetVersion", &version);
      // version / 10000 is CUDA's major version (since 13.0). Every version appends fields to its
      // records.
      if (version / 10000 != CUPTI_API_VERSION / 10000) {
        throw nvidia::ProfilerUnavailable(
            "CUPTI has version " + std::to_string(version) + ", its records are read as those of " +
            std::to_string(CUPTI_API_VERSION) + ": take the CUPTI of CUDA 13");
      }
      note(false, "CUPTI " + std::to_string(version));
      // Use the system's thread ids, like cuDNN's log. Older drivers lack this call.
      cupti_->function<decltype(cuptiSetThreadIdType)>("cuptiSetThreadIdType")(
          CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
      next_ = cupti_->function<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
      dropped_ = cupti_->function<decltype(cuptiActivityGetNumDroppedRecords)>(
          "cuptiActivityGetNumDroppedRecords");
      call_name_ = cupti_->function<decltype(cuptiGetCallbackName)>("cuptiGetCallbackName");
      flush_ = cupti_->function<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll");
      cupti_->call<decltype(cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks",
                                                             &request, &complete);
      tell_clock();
      const std::vector<std::string> counters = words(variable(counters_variable));
      if (!counters.empty()) {
        counters_ = std::make_unique<KernelCounters>(*cupti_, counters,
                                                     [this](const Event& event) { write(event); });
      }
      if (!counters_) enable_recorded_calls(*cupti_, name_of());
      // CUPTI tells of a GPU when its context is made, which may be long before there is something
      // to record. Where this fails, the other kinds do, and say why.
      if (!counters_) {
        cupti_->function<decltype(cuptiActivityEnable)>("cuptiActivityEnable")(
            CUPTI_ACTIVITY_KIND_DEVICE);
      }
      if (listener_.gate().has_name() || counters_) listener_.listen(*cupti_);
      if (counters_) listener_.pass_on(*counters_);
      // CUPTI 13.0 crashes (segmentation fault) on graphs created before their timing was enabled.
      // While it is, CUPTI does not report the kernels of graphs.
      if (whole_graphs_) enable_always(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "graphs as a whole");
      // What is allocated before a range is held inside of it, too.
      if (variable(memory_variable) == "on") {
        enable_always(CUPTI_ACTIVITY_KIND_MEMORY2, "memory");
      }
      listener_.tell([this] { switch_if_needed(); });
      switch_if_needed();
      std::thread([this] { work(); }).detach();
      std::atexit([] { get()->end(); });
    } catch (const std::exception& error) {
      note(true, error.what());
    }
    flush_journal();
  }

  /// NVTX initialises CUPTI's NVTX support through this library, so that both use the same CUPTI.
  static int begin_nvtx(NvtxGetExportTableFunc_t table) {
    int result = 0;
    try {
      using Initialize = int(NvtxGetExportTableFunc_t);
      const Cupti* const cupti = find_cupti();
      result = cupti->function<Initialize>("InitializeInjectionNvtx2")(table);
      if (listener().gate().has_name()) listener().listen(*cupti);
    } catch (const std::exception&) {
      // begin() tries again, and tells.
    }
    return result;
  }

 private:
  /// Like the session, never destroyed; there before it if the program uses NVTX first.
  static Listener& listener() {
    static Listener* const listener = new Listener(variable(range_variable));
    return *listener;
  }

  static Session* make() {
    const std::string folder = variable(folder_variable);
    if (folder.empty()) return nullptr;
    Control control = Control::open(std::filesystem::path(folder) / control_file);
    FileDescriptor journal = new_journal(folder);
    if (!control.is_there() || journal.get() < 0) return nullptr;
    return new Session(std::move(control), std::move(journal));
  }

  Session(Control control, FileDescriptor journal)
      : control_(std::move(control)),
        journal_(std::move(journal)),
        listener_(listener()),
        whole_graphs_(variable(graphs_variable) == "whole") {}

  void note(bool is_error, const std::string& text) {
    const std::lock_guard lock(journal_mutex_);
    journal_.add(NoteEvent{.is_error = is_error, .text = text});
  }

  void write(const Event& event) {
    const std::lock_guard lock(journal_mutex_);
    journal_.add(event);
  }

  void flush_journal() {
    const std::lock_guard lock(journal_mutex_);
    journal_.flush();
  }

  void tell_clock() {
    std::uint64_t time = 0;
    cupti_->call<decltype(cuptiGetTimestamp)>("cuptiGetTimestamp", &time);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const std::lock_guard lock(journal_mutex_);
    journal_.add(ClockEvent{
        .time = static_cast<std::int64_t>(time),
        .unix_nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()});
  }

  /// Starts or stops recording according to the recorder and the NVTX ranges.
  void switch_if_needed() {
    const std::lock_guard lock(switch_mutex_);
    const bool wanted = !is_over_ && control_.is_active() && listener_.gate().is_open();
    if (wanted == is_on_) return;
    is_on_ = wanted;
    if (counters_) {
      counters_->set_active(wanted);
      return;
    }
    // Disabling a kind can drop records that CUPTI has not delivered yet.
    if (!wanted) flush_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const char* const name = wanted ? "cuptiActivityEnable" : "cuptiActivityDisable";
    std::string failed;
    std::string reason;
    const auto enable = [&](CUpti_ActivityKind kind) {
      try {
        cupti_->call<decltype(cuptiActivityEnable)>(name, kind);
      } catch (const std::exception& error) {
        failed += (failed.empty() ? "" : ", ") + std::to_string(kind);
        reason = error.what();
      }
    };
    for (const CUpti_ActivityKind kind : kinds) enable(kind);
    switch_windows(wanted);
    // Written every time, e.g. for every range: the reader keeps each text only once.
    if (!failed.empty() && wanted) {
      note(true, reason + " for records of kind " + failed +
                     ": no GPU that CUPTI knows, or another profiler has it");
    }
  }

  /// Enables a kind of records for the whole run.
  void enable_always(CUpti_ActivityKind kind, const char* what) {
    try {
      cupti_->call<decltype(cuptiActivityEnable)>("cuptiActivityEnable", kind);
    } catch (const std::exception& error) {
      note(true, std::string(error.what()) + " for " + what);
    }
  }

  void switch_windows(bool open) {
    std::uint64_t now = 0;
    cupti_->function<decltype(cuptiGetTimestamp)>("cuptiGetTimestamp")(&now);
    const std::lock_guard lock(journal_mutex_);
    if (open) {
      windows_.open(static_cast<std::int64_t>(now));
    } else {
      windows_.close(static_cast<std::int64_t>(now));
    }
  }

  /// Returns whether the event started while the program was to be recorded. Only what is enabled
  /// for the whole run needs this check.
  bool is_wanted(const Event& event) const {
    if (const auto* const graph = std::get_if<GraphEvent>(&event)) {
      return windows_.contains(graph->at.start);
    }
    const auto* const call = std::get_if<ApiEvent>(&event);
    return call == nullptr || windows_.contains(call->start);
  }

  void work() {
    std::uint32_t beat = control_.beat();
    int silent = 0;
    std::unique_lock lock(work_mutex_);
    for (int count = 1;; ++count) {
      wake_.wait_for(lock, step, [this] { return is_over_.load(); });
      // The process is exiting, and CUPTI with it.
      if (is_over_) return;
      silent = control_.beat() == beat ? silent + 1 : 0;
      beat = control_.beat();
      if (silent > steps_of_patience) is_over_ = true;
      switch_if_needed();
      if (count % steps_between_flushes != 0) continue;
      flush_(0);
      flush_journal();
    }
  }

  /// After this, nothing here calls CUPTI, which may be torn down at any time.
  void end() {
    // A forked child has none of our threads; the parent records itself.
    if (::getpid() != process_) return;
    {
      const std::unique_lock lock(work_mutex_, longest_wait);
      is_over_ = true;
    }
    wake_.notify_all();
    if (counters_) counters_->end();
    switch_if_needed();
    flush_(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    flush_journal();
  }

  static void CUPTIAPI request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
    *buffer = get()->buffers_.take();
    *size = *buffer == nullptr ? 0 : get()->buffers_.bytes();
    *records = 0;
  }

  static void CUPTIAPI complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t, std::size_t valid) {
    if (buffer == nullptr) return;
    get()->read(context, stream, buffer, valid);
    get()->buffers_.give_back(buffer);
  }

  CallName name_of() const {
    return [this](CUpti_CallbackDomain domain, CUpti_CallbackId id) -> const char* {
      const char* name = nullptr;
      return call_name_(domain, id, &name) == CUPTI_SUCCESS ? name : nullptr;
    };
  }

  void read(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid) {
    const CallName names = name_of();
    const std::lock_guard lock(journal_mutex_);
    CUpti_Activity* record = nullptr;
    while (valid > 0 && next_(buffer, valid, &record) == CUPTI_SUCCESS) {
      const auto event = event_of(*record, names);
      if (event && is_wanted(*event)) journal_.add(*event);
    }
    std::size_t lost = 0;
    if (dropped_(context, stream, &lost) == CUPTI_SUCCESS && lost > 0) {
      journal_.add(LostEvent{.events = lost});
    }
    // The worker thread does not flush any more.
    if (is_over_) journal_.flush();
  }

  const pid_t process_ = ::getpid();
  Control control_;
  std::mutex journal_mutex_;
  JournalWriter journal_;
  /// For whole graphs and calls; guarded by journal_mutex_.
  Windows windows_;
  Listener& listener_;
  bool whole_graphs_;
  Buffers buffers_{buffer_bytes, most_buffers};
  const Cupti* cupti_ = nullptr;
  decltype(cuptiActivityGetNextRecord)* next_ = nullptr;
  decltype(cuptiActivityGetNumDroppedRecords)* dropped_ = nullptr;
  decltype(cuptiGetCallbackName)* call_name_ = nullptr;
  decltype(cuptiActivityFlushAll)* flush_ = nullptr;
  /// Null unless counters were asked for.
  std::unique_ptr<KernelCounters> counters_;
  /// Held by the worker thread while it calls CUPTI.
  std::timed_mutex work_mutex_;
  std::condition_variable_any wake_;
  std::mutex switch_mutex_;
  bool is_on_ = false;
  std::atomic<bool> is_over_ = false;
};

}  // namespace
}  // namespace benanza::record

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() {
  using benanza::record::Session;
  try {
    if (Session* const session = Session::get()) session->begin();
  } catch (...) {
    // Errors here must not end the program.
  }
  return 1;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t table) {
  return benanza::record::Session::begin_nvtx(table);
}
}
