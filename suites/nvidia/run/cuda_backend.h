#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/way_table.h"
#include "suites/nvidia/device/handles.h"
#include "suites/nvidia/run/context.h"
#include "suites/nvidia/run/conversion.h"
#include "suites/nvidia/run/side_streams.h"

namespace benanza::nvidia {

/// A library with one handle on one GPU, opened on first use by open(context). Must outlive every
/// primitive made with it. Functions that open the GPU throw NoGpu if there is none.
template <class T, auto open, auto destroy>
class OneHandleLibrary {
 public:
  /// `cuda` must outlive the library.
  explicit OneHandleLibrary(LazyContext& cuda) : cuda_(cuda) {}

  CudaContext& cuda() { return cuda_.get(); }
  T handle() {
    if (!handle_) handle_ = open(cuda());
    return handle_.get();
  }

 private:
  LazyContext& cuda_;
  Handle<T, destroy> handle_;
};

/// Base of the backends of NVIDIA's libraries. `Library` is constructed from a LazyContext; its
/// primitives are CudaPrimitives.
template <class Library>
class CudaBackend : public harness::TableBackend<Library> {
 public:
  /// `device` must outlive the backend.
  CudaBackend(std::string library_name, harness::WayTable<Library> table, LazyContext& device)
      : harness::TableBackend<Library>(std::move(library_name), std::move(table)),
        device_(device),
        library_(device) {}

  std::vector<std::string> devices() const override { return usable_devices(); }
  std::vector<harness::BackendFlag> flags() const override { return cuda_flags(); }
  /// The peaks, and the state of the GPU before the run.
  std::vector<std::pair<std::string, std::string>> context() override {
    std::vector<std::pair<std::string, std::string>> entries{{"peaks", "not measured"}};
    if (const auto& peaks = device_.peaks()) {
      entries = context_entries(*peaks);
      const std::string& source = device_.options().peaks;
      if (source != "measure") entries.emplace_back("peaks", "of " + source);
    }
    if (const GpuObserver* const observer = device_.observer()) {
      entries.insert(entries.end(), observer->at_start().begin(), observer->at_start().end());
    }
    return entries;
  }
  harness::Allocator& allocator() override { return device_.get().allocator(); }
  std::unique_ptr<harness::Primitive> conversion(const harness::MemoryFormat& from,
                                                 std::byte* source, const harness::MemoryFormat& to,
                                                 std::byte* target) override {
    return make_conversion(*this, from, source, to, target);
  }
  void gather(const harness::RowGather& rows) override {
    device_.get().code().gather(rows, device_.get().stream());
  }
  std::unique_ptr<harness::Primitive> branches(std::vector<harness::Task> tasks) override {
    return std::make_unique<Branches>(device_.get().stream(), std::move(tasks));
  }
  void move_operands() override { device_.get().move_operands(); }
  harness::Observer* observer() override { return device_.observer(); }
  harness::EnergyMeter* energy_meter() override { return device_.energy_meter(); }
  harness::Stopwatch& stopwatch() override { return device_.get().stopwatch(); }
  std::string profile_kinds() const override {
    const CudaOptions& asked = device_.options();
    if (asked.kernels && asked.counters) return "kernels,counters";
    return asked.kernels ? "kernels" : asked.counters ? "counters" : "";
  }

 protected:
  Library& library() override { return library_; }
  LazyContext& device() const { return device_; }

 private:
  LazyContext& device_;
  Library library_;
};

}  // namespace benanza::nvidia
