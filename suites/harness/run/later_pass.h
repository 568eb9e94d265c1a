#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/harness/choose/variants.h"
#include "suites/harness/run/crash.h"
#include "suites/harness/run/ledger.h"

namespace benanza::harness {

/// A pass that adds facts to rows after everything is timed.
struct LaterPass {
  /// The fact with the reason if it fails.
  std::string failure;
  /// For messages: "while profiling".
  std::string where;
  /// The rows of the variant `name` that lack the facts; empty if none do.
  std::function<std::vector<Row>(const std::string& name)> rows_due;
  /// Takes one of these rows. Throws only EngineLost.
  std::function<Facts(const Variant&, const Row&)> measure;
  /// Returns the row with the facts.
  std::function<Row(const Row&, const Facts&)> completed;
};

/// Makes the pass over all variants, each once, while the ledger goes on. `backend`: its name, for
/// messages.
void add_facts(const LaterPass& pass, std::span<const NamedVariant> variants,
               std::string_view backend, CrashGuard& crash, Ledger& ledger);

}  // namespace benanza::harness
