#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/questions/serve/steps.h"

namespace benanza::analysis {

/// What is asked of one model. Empty or 0: not said.
struct ServingQuery {
  /// Tokens of a prompt, and how many of them are in the cache already; tokens of an answer.
  std::int64_t prompt = 0;
  std::int64_t cached = 0;
  std::int64_t output = 0;
  std::set<std::int64_t> batches{};
  /// Of one device.
  std::optional<double> memory_bytes{};
  double usd_per_hour = 0;
  /// The model's file, for commands.
  std::string config{};
  bool allow_missing = false;
};

/// The grids of one variant of a model.
struct ServedVariant {
  std::string model{};
  ServingVariant variant{};
  Precision precision{};
  ServedMemory memory{};
  StepGrid prefill;
  StepGrid decode;
  StepGrid extend;

  std::vector<const StepGrid*> grids() const { return {&prefill, &decode, &extend}; }
  /// Steps whose plans were run.
  std::size_t plans() const;
  bool is_partial() const;
};

/// The command that measures these points of one variant: `batches`, and `pasts` of decode steps or
/// `prompts` of prefill ones.
std::string measuring_command(const ServedVariant& served, const ServingQuery& query,
                              const std::set<std::int64_t>& batches,
                              const std::set<std::int64_t>& pasts,
                              const std::set<std::int64_t>& prompts);

/// Requests of one batch size.
struct BatchAnswer {
  std::int64_t batch = 1;
  /// One for all prompts of a group, and the mean over the tokens of an answer; empty if not
  /// measured there.
  std::optional<ServingStep> first{};
  std::optional<ServingStep> token{};
  std::int64_t prompts_at_once = 1;
  /// Of all devices together; without prefill, of decode steps alone.
  std::optional<double> requests_per_second{};
  std::optional<double> served_tokens_per_second{};
  double bytes = 0;
  std::optional<bool> fits{};
  bool on_front = false;
  std::optional<double> usd_per_million{};
  std::optional<double> joules_per_million{};

  /// As plans where that is known, else the bounds.
  std::optional<double> first_seconds() const;
  std::optional<double> token_seconds() const;
  std::optional<double> first_bound() const;
  std::optional<double> token_bound() const;
  std::optional<double> token_floor() const;
  std::optional<double> tokens_per_second_each() const;
  std::optional<double> tokens_per_second() const;
  /// "measured", "interpolated", "outside of what was measured".
  std::string_view first_kind() const;
  std::string_view token_kind() const;
  /// ServingStep::time_kind(); empty if there is no step.
  std::optional<std::string> first_time_kind() const;
  std::optional<std::string> token_time_kind() const;
};

struct ServingAnswer {
  ServingQuery query{};
  std::vector<BatchAnswer> batches{};
  /// Empty if memory is unlimited.
  std::optional<std::int64_t> largest_batch{};
  /// Why there is no time to the first token; empty if there is one.
  std::string no_prefill{};
};

/// Replaces what the query leaves open by what was measured: the prompt by the shortest past that
/// is a measured prompt, too, else by the shortest past; the output by the rest of the measured
/// pasts; two tokens, whose only step has the prompt as its past, if there is no rest.
ServingQuery completed(ServingQuery query, const ServedVariant& served);

/// `query` must be completed. Throws Error, with the command that measures it, for a point outside
/// of the grid, unless measurements may be missing.
ServingAnswer answer_of(const ServedVariant& served, const ServingQuery& query);

}  // namespace benanza::analysis
