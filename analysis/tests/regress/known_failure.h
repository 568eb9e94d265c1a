#pragma once

#include "analysis/regress/known_failures.h"

namespace benanza::test {

/// Of oneDNN 2.5 to 2.6, gone in 3.0.
inline regress::KnownFailure known_failure(regress::Symptom symptom) {
  using regress::Version;
  return {.library = "onednn",
          .key = "relu/8",
          .from = Version::parse("2.5"),
          .to = Version::parse("2.6"),
          .fixed = Version::parse("3.0"),
          .symptom = symptom};
}

}  // namespace benanza::test
