#include "analysis/questions/serve/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"

namespace benanza::analysis {
namespace {

std::string list_of(const std::set<std::int64_t>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

double real(std::int64_t value) { return static_cast<double>(value); }

bool is_within(const std::vector<std::int64_t>& values, std::int64_t value) {
  return !values.empty() && value >= values.front() && value <= values.back();
}

/// "batch 1 to 32, past 512 to 8192".
std::string extent_text(const StepGrid& grid) {
  if (grid.empty()) return "nothing";
  std::string text;
  for (const std::string_view axis : axes_of(grid.phase())) {
    const auto values = grid.values_on(axis);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, values.front());
    if (values.size() > 1) text += fmt::format(" to {}", values.back());
  }
  return text;
}

/// The prompt's step makes the first token of an answer: of two, one step is left, which has the
/// prompt as its past.
constexpr std::int64_t one_step = 2;

/// Up to which the steps of an answer are averaged.
std::int64_t last_past(const ServingQuery& query) {
  return query.prompt + (query.output <= one_step ? 0 : query.output);
}

/// The value itself or, if it lies within, all that was measured on the axis.
std::set<std::int64_t> on_axis(const StepGrid& grid, std::string_view axis, std::int64_t value) {
  const auto values = grid.values_on(axis);
  if (!is_within(values, value)) return {value};
  return {values.begin(), values.end()};
}

/// The points whose measurement allows the mean from `from` to `to`.
Error decode_outside(const ServedVariant& served, const ServingQuery& query, std::int64_t batch) {
  const std::int64_t last = last_past(query);
  const auto pasts = served.decode.values_on("past");
  const auto batches = served.decode.values_on("batch");
  std::set<std::int64_t> to_measure{query.prompt, last};
  std::set<std::int64_t> at{batch};
  if (is_within(batches, batch) && !(is_within(pasts, query.prompt) && is_within(pasts, last))) {
    at = {batches.begin(), batches.end()};
    std::erase_if(to_measure, [&](std::int64_t past) { return is_within(pasts, past); });
  }
  return Error(fmt::format(
      "{}, {}: decode at batch {}, past {} to {}, is outside of what was measured ({}); measure "
      "it: {}, or add --allow-missing",
      served.model, text_of(served.variant), batch, query.prompt, last, extent_text(served.decode),
      measuring_command(served, query, at, to_measure, {})));
}

Error prefill_outside(const ServedVariant& served, const ServingQuery& query, std::int64_t batch) {
  const StepGrid& grid = query.cached > 0 ? served.extend : served.prefill;
  const std::int64_t fresh = query.prompt - query.cached;
  const std::set<std::int64_t> at = on_axis(grid, "batch", batch);
  const std::string what = query.cached > 0
                               ? fmt::format("{} tokens after {} in the cache", fresh, query.cached)
                               : fmt::format("a prompt of {} tokens", query.prompt);
  const std::set<std::int64_t> pasts =
      query.cached > 0 ? std::set{query.cached} : std::set<std::int64_t>{};
  return Error(fmt::format(
      "{}, {}: {} at batch {}, {}, is outside of what was measured ({}); measure it: {}, or add "
      "--allow-missing",
      served.model, text_of(served.variant), to_string(grid.phase()), batch, what,
      extent_text(grid), measuring_command(served, query, at, pasts, {fresh})));
}

std::optional<ServingStep> first_step(const ServedVariant& served, const ServingQuery& query,
                                      std::int64_t batch) {
  const double fresh = real(query.prompt - query.cached);
  if (query.cached > 0) return served.extend.at({fresh, real(query.cached), real(batch)});
  return served.prefill.at({fresh, real(batch)});
}

/// All prompts at once or, where that was not measured, one after the other.
void add_first(BatchAnswer& answer, const ServedVariant& served, const ServingQuery& query) {
  for (const std::int64_t at_once : {answer.batch, std::int64_t{1}}) {
    answer.prompts_at_once = at_once;
    answer.first = first_step(served, query, at_once);
    if (answer.first) return;
  }
  if (!query.allow_missing) throw prefill_outside(served, query, answer.batch);
}

/// What follows from the times of the steps.
void add_rates(BatchAnswer& answer, const ServedVariant& served, const ServingQuery& query) {
  if (!answer.token) return;
  const double gpus = real(served.variant.tensor_parallel);
  const double steps = real(query.output - 1);
  const double groups = real(answer.batch) / real(answer.prompts_at_once);
  double per_second = real(answer.batch) / answer.token->best_known();
  std::optional<double> joules = answer.token->joules;
  if (joules) *joules *= gpus / real(answer.batch);
  if (answer.first) {
    const ServedBatch batch{.batch = real(answer.batch),
                            .prompts_at_once = real(answer.prompts_at_once),
                            .prefill_seconds = answer.first->best_known(),
                            .output_tokens = real(query.output),
                            .token_seconds = answer.token->best_known()};
    answer.requests_per_second = batch.requests_per_second();
    per_second = batch.tokens_per_second();
    answer.served_tokens_per_second = per_second;
    const auto& each = answer.token->joules;
    const auto& prefill = answer.first->joules;
    joules.reset();
    if (each && prefill) {
      joules = gpus * (groups * *prefill + steps * *each) / real(answer.batch * query.output);
    }
  }
  constexpr double million = 1e6;
  if (joules) answer.joules_per_million = *joules * million;
  if (query.usd_per_hour > 0) {
    answer.usd_per_million = usd_per_million_tokens(query.usd_per_hour * gpus, per_second);
  }
}

void mark_front(std::vector<BatchAnswer>& batches) {
  std::vector<BatchAnswer*> offered;
  std::vector<Offer> offers;
  for (BatchAnswer& one : batches) {
    if (!one.token || one.fits == false) continue;
    offered.push_back(&one);
    offers.push_back({.seconds = one.token->best_known(), .per_second = *one.tokens_per_second()});
  }
  const std::vector<bool> front = front_of(offers);
  for (std::size_t i = 0; i < offered.size(); ++i) offered[i]->on_front = front[i];
}

/// Those asked for; else the measured ones, and the largest that fits, if it lies between them.
std::set<std::int64_t> batches_of(const ServedVariant& served, const ServingQuery& query,
                                  std::optional<std::int64_t> largest) {
  if (!query.batches.empty()) return query.batches;
  const auto measured = served.decode.values_on("batch");
  std::set<std::int64_t> batches(measured.begin(), measured.end());
  if (largest && is_within(measured, *largest)) batches.insert(*largest);
  return batches;
}

std::string_view kind_of_step(const std::optional<ServingStep>& step) {
  if (!step) return "outside of what was measured";
  return step->measured ? "measured" : "interpolated";
}

}  // namespace

std::size_t ServedVariant::plans() const {
  std::size_t plans = 0;
  for (const StepGrid* grid : grids()) plans += grid->planned().size();
  return plans;
}

bool ServedVariant::is_partial() const {
  return std::ranges::any_of(grids(), [](const StepGrid* grid) {
    return !grid->left_out().empty() || !grid->incomplete().empty();
  });
}

std::string measuring_command(const ServedVariant& served, const ServingQuery& query,
                              const std::set<std::int64_t>& batches,
                              const std::set<std::int64_t>& pasts,
                              const std::set<std::int64_t>& prompts) {
  // Where there is no checkout, another command does what the script does.
  const char* const other = std::getenv("BENANZA_SERVE");
  std::string command =
      fmt::format("{} --config {} --batch {}", other ? other : "scripts/serve",
                  query.config.empty() ? "config.json" : query.config, list_of(batches));
  if (!pasts.empty()) command += " --past " + list_of(pasts);
  if (!prompts.empty()) command += " --prompt " + list_of(prompts);
  if (!pasts.empty() && !prompts.empty()) command += " --extend";
  command += fmt::format(" --precision {}", to_string(served.precision));
  const ServingVariant& variant = served.variant;
  if (variant.weights != "unknown") command += " --weights " + variant.weights;
  if (variant.cache != "unknown") command += " --cache " + variant.cache;
  if (variant.tensor_parallel > 1) {
    command += fmt::format(" --tensor-parallel {}", variant.tensor_parallel);
  }
  return command;
}

std::optional<double> BatchAnswer::first_seconds() const {
  return first ? std::optional(first->best_known()) : std::nullopt;
}
std::optional<double> BatchAnswer::first_bound() const {
  return first ? std::optional(first->seconds) : std::nullopt;
}
std::optional<double> BatchAnswer::token_seconds() const {
  return token ? std::optional(token->best_known()) : std::nullopt;
}
std::optional<double> BatchAnswer::token_bound() const {
  return token ? std::optional(token->seconds) : std::nullopt;
}
std::optional<double> BatchAnswer::token_floor() const {
  return token ? token->floor_seconds : std::nullopt;
}
std::optional<double> BatchAnswer::tokens_per_second_each() const {
  return quotient(1.0, token_seconds());
}
std::optional<double> BatchAnswer::tokens_per_second() const {
  return quotient(real(batch), token_seconds());
}
std::optional<std::string> BatchAnswer::first_time_kind() const {
  return first ? std::optional(first->time_kind()) : std::nullopt;
}
std::optional<std::string> BatchAnswer::token_time_kind() const {
  return token ? std::optional(token->time_kind()) : std::nullopt;
}
std::string_view BatchAnswer::first_kind() const { return kind_of_step(first); }
std::string_view BatchAnswer::token_kind() const { return kind_of_step(token); }

ServingQuery completed(ServingQuery query, const ServedVariant& served) {
  const auto pasts = served.decode.values_on("past");
  if (pasts.empty()) return query;
  if (query.prompt == 0) {
    query.prompt = std::max<std::int64_t>(1, pasts.front());
    const auto prompts = served.prefill.values_on("new");
    const auto both = std::ranges::find_if(
        pasts, [&](std::int64_t past) { return past > 0 && std::ranges::count(prompts, past); });
    if (both != pasts.end()) query.prompt = *both;
  }
  if (query.output == 0) {
    const std::int64_t least = query.prompt == pasts.back() ? one_step : 1;
    query.output = std::max(least, pasts.back() - query.prompt);
  }
  if (query.cached >= query.prompt) {
    throw Error(fmt::format("--cached {}: the prompt has {} tokens; say fewer", query.cached,
                            query.prompt));
  }
  return query;
}

ServingAnswer answer_of(const ServedVariant& served, const ServingQuery& query) {
  ServingAnswer answer{.query = query};
  const double tokens = real(query.prompt + query.output);
  if (query.memory_bytes) {
    answer.largest_batch = largest_batch(served.memory, tokens, *query.memory_bytes);
  }
  const StepGrid& prefill = query.cached > 0 ? served.extend : served.prefill;
  if (prefill.empty()) {
    answer.no_prefill = fmt::format("no {} step was measured", to_string(prefill.phase()));
  }
  for (const std::int64_t batch : batches_of(served, query, answer.largest_batch)) {
    BatchAnswer one{.batch = batch, .bytes = served.memory.bytes(real(batch), tokens)};
    if (query.memory_bytes) one.fits = one.bytes <= *query.memory_bytes;
    one.token = served.decode.mean({0, real(batch)}, real(query.prompt), real(last_past(query)));
    if (!one.token && !query.allow_missing) throw decode_outside(served, query, batch);
    if (!prefill.empty()) add_first(one, served, query);
    add_rates(one, served, query);
    answer.batches.push_back(std::move(one));
  }
  mark_front(answer.batches);
  return answer;
}

}  // namespace benanza::analysis
