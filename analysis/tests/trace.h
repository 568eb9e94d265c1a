#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/profiles/profile.h"
#include "analysis/tests/folder.h"

namespace benanza::test {

using namespace analysis;

/// Writes a Kineto trace as PyTorch's profiler does: operators start 100 us apart, one after the
/// other, and launch their kernels. Times in microseconds.
class TraceWriter {
 public:
  struct Kernel {
    std::string name = "kernel";
    double microseconds = 10;
  };

  /// An operator with tensors of `dims` and then `values` as arguments, and its kernels.
  TraceWriter& op(const std::string& name, const std::vector<std::vector<int>>& dims,
                  const std::vector<std::string>& values, const std::vector<Kernel>& kernels) {
    nlohmann::json shapes = nlohmann::json::array();
    nlohmann::json concrete = nlohmann::json::array();
    nlohmann::json types = nlohmann::json::array();
    for (const auto& one : dims) {
      const std::size_t index = types.size();
      shapes.push_back(one);
      concrete.push_back("");
      types.push_back(index < next_types_.size() ? next_types_[index] : type_);
    }
    next_types_.clear();
    for (const std::string& value : values) {
      shapes.push_back(nlohmann::json::array());
      concrete.push_back(value);
      types.push_back("Scalar");
    }
    event("cpu_op", name, now_, 50,
          {{"External id", ++external_},
           {"Input Dims", shapes},
           {"Input type", types},
           {"Concrete Inputs", concrete}});
    double launch = now_ + 1;
    for (const Kernel& kernel : kernels) {
      ++correlation_;
      event("cuda_runtime", "cudaLaunchKernel", launch, 4, {{"correlation", correlation_}});
      free_ = std::max(free_, launch + 5);
      event("kernel", kernel.name, free_, kernel.microseconds, {{"correlation", correlation_}}, 7);
      free_ += kernel.microseconds;
      launch += 5;
    }
    now_ += 100;
    return *this;
  }
  TraceWriter& relu(const std::vector<int>& dims, double microseconds = 10) {
    return op("aten::relu", {dims}, {}, {{"relu_kernel", microseconds}});
  }
  /// A 1x1 convolution without bias.
  TraceWriter& conv(int batch, int channels, int filters, int size,
                    const std::vector<Kernel>& kernels = {{"sgemm", 10}}) {
    return op("aten::conv2d", {{batch, channels, size, size}, {filters, channels, 1, 1}, {}},
              {"[1, 1]", "[0, 0]", "[1, 1]", "1"}, kernels);
  }
  TraceWriter& wait() {
    event("cuda_runtime", "cudaDeviceSynchronize", now_ - 10, 5, {{"correlation", ++correlation_}});
    return *this;
  }
  /// Starts a step of PyTorch's scheduler, which ends at the next one.
  TraceWriter& step(double microseconds) {
    event("user_annotation", "ProfilerStep#" + std::to_string(++steps_), now_ - 1, microseconds,
          {});
    return *this;
  }
  TraceWriter& pause(double microseconds) {
    now_ += microseconds;
    return *this;
  }
  TraceWriter& type(const std::string& name) {
    type_ = name;
    return *this;
  }
  /// Sets the types of the next operator's tensors, one by one.
  TraceWriter& types(std::vector<std::string> names) {
    next_types_ = std::move(names);
    return *this;
  }
  double now() const { return now_; }

  nlohmann::json json() const {
    return {{"schemaVersion", 1},
            {"deviceProperties", {{{"id", 0}, {"name", "a GPU"}}}},
            {"traceEvents", events_}};
  }
  std::string text() const { return json().dump(); }

 private:
  void event(const std::string& category, const std::string& name, double start, double duration,
             const nlohmann::json& args, int thread = 1) {
    events_.push_back({{"ph", "X"},
                       {"cat", category},
                       {"name", name},
                       {"pid", category == "kernel" ? 0 : 42},
                       {"tid", thread},
                       {"ts", start},
                       {"dur", duration},
                       {"args", args}});
  }

  nlohmann::json events_ = nlohmann::json::array();
  std::string type_ = "float";
  std::vector<std::string> next_types_;
  double now_ = 1000;
  double free_ = 0;
  int external_ = 0;
  int correlation_ = 0;
  int steps_ = 0;
};

inline Profile profile_of(const TraceWriter& trace) {
  const Folder folder;
  return read_profile(folder.write("trace.json", trace.text()));
}

}  // namespace benanza::test
