// Several variants of one model side by side.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/serve/section.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// One variant at the batch size at which all are compared, and at its best.
struct VariantRow {
  const ServedVariant* served = nullptr;
  const ServingAnswer* answer = nullptr;
  const BatchAnswer* compared = nullptr;
  /// Of the batches that fit, the one with the most tokens per second.
  const BatchAnswer* best = nullptr;

  std::string_view weights() const { return served->variant.weights; }
  std::string_view cache() const { return served->variant.cache; }
  std::int64_t gpus() const { return served->variant.tensor_parallel; }
  std::optional<double> token_seconds() const {
    return compared == nullptr ? std::nullopt : compared->token_seconds();
  }
  std::optional<double> first_seconds() const {
    return compared == nullptr ? std::nullopt : compared->first_seconds();
  }
  std::optional<std::int64_t> largest() const { return answer->largest_batch; }
  std::optional<std::int64_t> best_batch() const {
    return best == nullptr ? std::nullopt : std::optional(best->batch);
  }
  std::optional<double> most_tokens() const {
    return best == nullptr ? std::nullopt : best->tokens_per_second();
  }
  bool partial() const { return served->is_partial(); }
  bool as_plans() const { return served->plans() > 0; }
};

const BatchAnswer* batch_of(const ServingAnswer& answer, std::int64_t batch) {
  const auto found = std::ranges::find(answer.batches, batch, &BatchAnswer::batch);
  return found == answer.batches.end() || !found->token ? nullptr : &*found;
}

const BatchAnswer* best_fitting(const ServingAnswer& answer) {
  const BatchAnswer* best = nullptr;
  for (const BatchAnswer& one : answer.batches) {
    if (!one.token || one.fits == false) continue;
    if (best == nullptr || *one.tokens_per_second() > *best->tokens_per_second()) best = &one;
  }
  return best;
}

/// The smallest batch that all answers have; empty if there is none.
std::optional<std::int64_t> common_batch(const std::vector<ServingAnswer>& answers) {
  for (const BatchAnswer& one : answers.front().batches) {
    const bool is_common = std::ranges::all_of(answers, [&](const ServingAnswer& answer) {
      return batch_of(answer, one.batch) != nullptr;
    });
    if (is_common) return one.batch;
  }
  return std::nullopt;
}

std::optional<double> as_number(std::optional<std::int64_t> value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

Section variants_section(const std::vector<ServedVariant>& served,
                         const std::vector<ServingAnswer>& answers) {
  using Row = VariantRow;
  const std::optional<std::int64_t> batch = common_batch(answers);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < served.size(); ++i) {
    rows.push_back({.served = &served[i],
                    .answer = &answers[i],
                    .compared = batch ? batch_of(answers[i], *batch) : nullptr,
                    .best = best_fitting(answers[i])});
  }
  const Row& first = rows.front();
  // A partial sum is of other layers: it compares with nothing.
  const auto gain = [&](auto value, bool of_time) {
    return [&, value, of_time](const Row& row) -> std::optional<double> {
      if (of_time && (row.partial() || first.partial())) return std::nullopt;
      if (of_time && row.as_plans() != first.as_plans()) return std::nullopt;
      return quotient(value(row), value(first));
    };
  };
  Table<Row> table{{"weights", "weights", &Row::weights},
                   {"cache", "cache", &Row::cache},
                   {"GPUs", "tensor_parallel", &Row::gpus},
                   {"first token ms", "first_token_seconds", milli, &Row::first_seconds},
                   {"ms per token", "token_seconds", milli, &Row::token_seconds},
                   {"of the first", "token_ratio", thousandths,
                    gain([](const Row& row) { return row.token_seconds(); }, true)},
                   {"largest batch", "largest_batch", &Row::largest},
                   {"times", "largest_batch_ratio", times,
                    gain([](const Row& row) { return as_number(row.largest()); }, false)},
                   {"most tokens/s", "most_tokens_per_second", Unit{1, 1}, &Row::most_tokens},
                   {"at batch", "best_batch", &Row::best_batch},
                   {"times ", "tokens_ratio", times,
                    gain([](const Row& row) { return row.most_tokens(); }, true)},
                   {"partial", "partial", &Row::partial}};
  table.add_if(std::ranges::any_of(rows, &Row::as_plans),
               {{"as plans", "as_plans", &Row::as_plans}});
  Section section{.heading = served.front().model + ": variants side by side",
                  .csv_facts = {"model"}};
  section.facts["model"] = served.front().model;
  section.facts["compared_batch"] = batch;
  section.add(
      batch ? fmt::format("Times are at batch {}, the smallest that all answers have.", *batch)
            : std::string("No batch is in all answers: say one with --batch."));
  section.add(table.sheet(rows, {.name = "variants",
                                 .note = "most tokens/s: of the batches above that fit",
                                 .all_rows = true}));
  return section;
}

}  // namespace benanza::analysis
