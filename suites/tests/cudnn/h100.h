#pragma once

#include "suites/cudnn/primitive/graph_call.h"
#include "suites/tests/cudnn/shapes.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "core/base/file.h"

namespace benanza::cudnn {

inline harness::Variant variant(const char* key, Precision precision,
                                Layout layout = Layout::plain) {
  return {parse(key), precision, layout, harness::Algorithm()};
}

/// A shape's graphs for any variant.
using GraphsOf = std::function<GraphCalls(const harness::Variant&)>;

template <class Shape>
GraphsOf bound(GraphCalls (*graphs)(const Shape&, const harness::Variant&), const Shape& shape) {
  return [=](const harness::Variant& variant) { return graphs(shape, variant); };
}

inline GraphCall only(std::vector<GraphCall> calls) {
  EXPECT_THAT(calls, testing::SizeIs(1));
  return std::move(calls.at(0));
}

/// Queries the library for an H100 that exists only as a description. Most engines are compiled at
/// run time, and the library offers those only if it can load the driver's library; without a
/// driver, the CUDA Toolkit's stub suffices.
class H100 : public testing::Test {
 protected:
  void SetUp() override {
    // Checked once, because a loaded stub has the driver's name. Other tests of this process hide
    // the GPU from the runtime, but not from cuDNN.
    static const bool has_driver = dlopen("libcuda.so.1", RTLD_NOW) != nullptr;
    if (has_driver) {
      GTEST_SKIP() << "beside a GPU, cuDNN 9.14 divides by zero when asked about another one";
    }
    // Stays loaded, as the driver does.
    if (dlopen(CUDA_STUB, RTLD_NOW) == nullptr) {
      GTEST_SKIP() << "no stub of the driver's library: " << dlerror();
    }
    try {
      plans_.emplace(Target(read_file(TEST_DATA "/h100_device_properties.json")));
    } catch (const harness::Unsupported& refusal) {
      GTEST_SKIP() << "this cuDNN reads no description of a device: " << refusal.what();
    }
  }

  std::vector<harness::Algorithm> names(const GraphsOf& graphs, const harness::Variant& variant,
                                        harness::AlgorithmSet set = harness::AlgorithmSet::all) {
    return graph_algorithms(graphs(variant), variant, set, *plans_);
  }

  template <class Shape>
  std::vector<harness::Algorithm> sequence_names(GraphCalls (*sequences)(const Shape&,
                                                                         const harness::Variant&),
                                                 const harness::Variant& variant) {
    return names(bound(sequences, std::get<Shape>(variant.problem.shape)), variant);
  }

  std::int64_t workspace(const GraphsOf& graphs, const harness::Variant& variant) {
    return graph_workspace(graphs(variant), variant, *plans_);
  }

  std::optional<GraphPlans> plans_;
};

}  // namespace benanza::cudnn
