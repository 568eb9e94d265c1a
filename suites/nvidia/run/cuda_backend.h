#pragma once

#include <string>
#include <utility>
#include <vector>

#include "suites/harness/solver.h"
#include "suites/nvidia/run/lazy_context.h"

namespace benanza::nvidia {

/// The common part of the backends of NVIDIA's libraries. `Library` is made from a LazyContext; its
/// primitives are CudaPrimitives.
template <class Library>
class CudaBackend : public harness::SolverBackend<Library> {
 public:
  /// `device` outlives the backend.
  CudaBackend(std::string library_name, harness::SolverTable<Library> table, LazyContext& device)
      : harness::SolverBackend<Library>(std::move(library_name), std::move(table)),
        device_(device),
        library_(device) {}

  std::vector<std::string> devices() const override { return usable_devices(); }
  std::string_view help() const override { return cuda_options_help(); }
  /// The peaks.
  std::vector<std::pair<std::string, std::string>> context() override {
    const auto& peaks = device_.peaks();
    return peaks ? context_entries(*peaks) : std::vector<std::pair<std::string, std::string>>{};
  }
  harness::Stopwatch& stopwatch() override { return device_.get().stopwatch(); }

 protected:
  Library& library() override { return library_; }
  LazyContext& device() const { return device_; }

 private:
  LazyContext& device_;
  Library library_;
};

}  // namespace benanza::nvidia
