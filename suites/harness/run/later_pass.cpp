#include "suites/harness/run/later_pass.h"

#include "suites/harness/report/progress.h"
#include "suites/harness/run/row_guard.h"

namespace benanza::harness {
namespace {

void add_facts(const LaterPass& pass, const NamedVariant& variant, std::string_view backend,
               CrashGuard& crash, Ledger& ledger) {
  const std::vector<Row> rows = pass.rows_due(variant.name);
  const auto failed = [&](std::string_view reason) {
    return Facts{{pass.failure, one_line(reason)}};
  };
  Facts found;
  {
    const RowGuard guard(crash, backend, pass.where + ' ' + variant.name, [&](Loss loss) {
      return pass.completed(rows.front(), failed(reason_of(loss)));
    });
    try {
      found = pass.measure(variant.variant, rows.front());
    } catch (const EngineLost& loss) {
      found = failed(loss.what());
      ledger.lose(variant.name);
    }
  }
  for (const Row& row : rows) {
    if (!ledger.store(pass.completed(row, found))) return;
  }
}

}  // namespace

void add_facts(const LaterPass& pass, std::span<const NamedVariant> variants,
               std::string_view backend, CrashGuard& crash, Ledger& ledger) {
  std::vector<const NamedVariant*> due;
  for (const NamedVariant& variant : variants) {
    if (!pass.rows_due(variant.name).empty()) due.push_back(&variant);
  }
  Progress progress(static_cast<std::int64_t>(due.size()));
  std::int64_t done = 0;
  for (const NamedVariant* const variant : due) {
    if (!ledger.goes_on()) return;
    progress.show(done++, variant->name);
    add_facts(pass, *variant, backend, crash, ledger);
  }
}

}  // namespace benanza::harness
