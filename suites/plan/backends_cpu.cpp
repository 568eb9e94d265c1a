#include "suites/onednn/backend.h"
#include "suites/plan/backends.h"

namespace benanza::plan {

struct Backends::Device {};

Backends::Backends(int& /*argc*/, char** /*argv*/) {
  owned_.push_back(onednn::make_backend());
  for (const auto& one : owned_) all_.push_back(one.get());
}

Backends::~Backends() = default;

bool Backends::run_branches() { return false; }

std::vector<harness::BackendFlag> Backends::flags() { return {}; }

}  // namespace benanza::plan
