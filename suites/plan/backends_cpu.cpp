#include "suites/onednn/backend.h"
#include "suites/plan/backends.h"

namespace benanza::plan {

Backends::Backends() {
  owned_.push_back(onednn::make_backend());
  for (const auto& one : owned_) all_.push_back(one.get());
}

}  // namespace benanza::plan
