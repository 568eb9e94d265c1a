#include "suites/onednn/backend.h"
#include "suites/plan/backends.h"
#include "suites/plan/host_pool.h"

namespace benanza::plan {

struct Backends::Device {
  HostPool memory;
};

Backends::Backends(int& /*argc*/, char** /*argv*/) : device_(std::make_unique<Device>()) {
  owned_.push_back(onednn::make_backend());
  for (const auto& one : owned_) all_.push_back(one.get());
}

Backends::~Backends() = default;

harness::Allocator& Backends::memory() const { return device_->memory; }

bool Backends::run_branches() { return false; }

std::vector<harness::BackendFlag> Backends::flags() { return {}; }

}  // namespace benanza::plan
