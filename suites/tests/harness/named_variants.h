#pragma once

#include <string>
#include <utility>
#include <vector>

#include "suites/harness/choose/variants.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/outcome.h"

namespace benanza::test {

/// A variant of a ReLU of 8 elements by this algorithm.
inline harness::NamedVariant named(const std::string& algorithm, Status status = Status::ok) {
  return {.name = "relu/8/fp32/plain/fake/" + algorithm,
          .variant = {parse("relu/8"), Precision::fp32, Layout::plain, algorithm},
          .status = status,
          .reason = status == Status::ok ? "" : "because"};
}

/// One that takes `seconds`.
inline harness::Outcome ok(double seconds = 1e-6) {
  return {.status = Status::ok, .samples = {seconds}, .calls_per_sample = 1, .timed_seconds = 1};
}

inline harness::Outcome with_company(harness::Outcome outcome) {
  outcome.disturbances = {"steal 12%"};
  outcome.company = true;
  return outcome;
}

/// The row as a process with this number takes it.
inline Row row(const harness::NamedVariant& variant, std::int64_t repetition,
               const harness::Outcome& outcome, std::int64_t process = 1) {
  Row row = harness::make_row(variant.name, repetition, {}, outcome);
  row.process = process;
  return row;
}

/// In memory only.
inline harness::ResultStore empty_store() {
  return harness::ResultStore({}, {"fake", {{"threads", "1"}}}, false);
}

}  // namespace benanza::test
