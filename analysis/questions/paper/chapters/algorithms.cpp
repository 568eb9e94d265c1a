// Question 3: what the libraries' own choice of algorithms costs.

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

/// Empty if no product has a call that the library's heuristic chose.
std::optional<double> heuristic_loss(const StudiedModel& model) {
  const auto count = [&](const char* pointer) {
    return model.number("algorithms", pointer).value_or(0);
  };
  const double known =
      count("/totals/products") - count("/totals/unmeasured") - count("/totals/unranked");
  if (known <= 0) return std::nullopt;
  return model.number("algorithms", "/totals/heuristic_loss_seconds");
}

/// Loss of the products whose algorithm the framework's profile names; empty if it names none.
std::optional<double> framework_loss(const StudiedModel& model) {
  const auto known = model.number("algorithms", "/framework_totals/known");
  if (!known || *known == 0) return std::nullopt;
  return model.number("algorithms", "/framework_totals/loss_seconds");
}

std::optional<double> loss_share(const StudiedModel& model) {
  return quotient(heuristic_loss(model), model.number("algorithms", "/totals/best_seconds"));
}

void paper_algorithms_add_precision(Section& section, const AtPrecision& at) {
  using Row = const StudiedModel*;
  std::vector<Row> known = at.models;
  std::erase_if(known, [](Row model) {
    return model->number("algorithms", "/totals/best_seconds").value_or(0) == 0;
  });
  if (known.empty()) return;
  const Table<Row> table{
      {"model", "model", &StudiedModel::name},
      {"products", "products", count_at("algorithms", "/totals/products")},
      {"no choice known", "unranked", count_at("algorithms", "/totals/unranked")},
      {"best, ms", "best_seconds", milli, number_at("algorithms", "/totals/best_seconds")},
      {"heuristic loses, ms", "heuristic_loss_seconds", milli,
       [](Row model) { return heuristic_loss(*model); }},
      {"share", "heuristic_loss_share", percent, [](Row model) { return loss_share(*model); }},
      {"worse choices", "heuristic_misses",
       [misses = count_at("algorithms", "/totals/heuristic_misses")](Row model) {
         return heuristic_loss(*model) ? misses(model) : std::nullopt;
       }},
      {"framework loses, ms", "framework_loss_seconds", milli,
       [](Row model) { return framework_loss(*model); }},
      {"of products known", "framework_known", count_at("algorithms", "/framework_totals/known")}};
  section.add(bars_of("Lost by the choice of algorithms, " + at.word + ", % of the products' time",
                      "heuristic", at.models, loss_share, "%", 1));
  section.add(bars_of(
      "Lost at least by the framework's choice, " + at.word + ", % of the products' time",
      "framework", at.models,
      [](const StudiedModel& model) {
        return quotient(framework_loss(model), model.number("algorithms", "/totals/best_seconds"));
      },
      "%", 1));
  section.add(table.sheet(known, {.name = "algorithms_" + at.word,
                                  .caption = "Choice of algorithms at " + at.word,
                                  .all_rows = true}));
}

}  // namespace

Chapter algorithms_chapter() {
  return {
      .title = "Question 3: convolution algorithms",
      .introduction =
          "What each product loses if the library's heuristic chooses its algorithm, and what the "
          "framework's choice loses where its profile names it.",
      .add = paper_algorithms_add_precision,
      .place = 30};
}

}  // namespace benanza::analysis
