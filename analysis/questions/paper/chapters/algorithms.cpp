// Question 3: what the libraries' own choice of algorithms costs.

#include "analysis/questions/paper/study.h"

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

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "What each product loses if the library's heuristic chooses its algorithm, and what the "
      "framework's choice loses where its profile names it.");
  bool any = false;
  for (const Precision precision : study.precisions()) {
    const std::string word(to_string(precision));
    Sheet sheet{.name = "algorithms_" + word,
                .caption = "Choice of algorithms at " + word,
                .columns = {{"model", "model"},
                            {"products", "products", true},
                            {"no choice known", "unranked", true},
                            {"best, ms", "best_seconds", true},
                            {"heuristic loses, ms", "heuristic_loss_seconds", true},
                            {"share", "heuristic_loss_share", true},
                            {"worse choices", "heuristic_misses", true},
                            {"framework loses, ms", "framework_loss_seconds", true},
                            {"of products known", "framework_known", true}},
                .all_rows = true};
    for (const StudiedModel* model : study.at(precision)) {
      const auto number = [&](const char* pointer) { return model->number("algorithms", pointer); };
      const auto count = [&](const char* pointer) {
        const auto value = number(pointer);
        return value ? count_cell(static_cast<std::size_t>(*value)) : Cell{"-", nullptr};
      };
      const auto best = number("/totals/best_seconds");
      if (!best || *best == 0) continue;
      any = true;
      const auto loss = heuristic_loss(*model);
      sheet.rows.push_back({text_cell(model->name()), count("/totals/products"),
                            count("/totals/unranked"), ms_cell(best), ms_cell(loss),
                            percent_cell(ratio(loss, best)),
                            loss ? count("/totals/heuristic_misses") : Cell{"-", nullptr},
                            ms_cell(framework_loss(*model)), count("/framework_totals/known")});
    }
    if (sheet.rows.empty()) continue;
    Bars bars = bars_of(
        "Lost by the choice of algorithms, " + word + ", % of the products' time", "heuristic",
        study.at(precision), [](const StudiedModel& model) -> std::optional<double> {
          const auto share =
              ratio(heuristic_loss(model), model.number("algorithms", "/totals/best_seconds"));
          return share ? std::optional(*share * 100) : std::nullopt;
        });
    bars.unit = "%";
    bars.decimals = 1;
    section.add(std::move(bars));
    Bars by_framework = bars_of(
        "Lost at least by the framework's choice, " + word + ", % of the products' time",
        "framework", study.at(precision), [](const StudiedModel& model) -> std::optional<double> {
          const auto share =
              ratio(framework_loss(model), model.number("algorithms", "/totals/best_seconds"));
          return share ? std::optional(*share * 100) : std::nullopt;
        });
    by_framework.unit = "%";
    by_framework.decimals = 1;
    section.add(std::move(by_framework));
    section.add(std::move(sheet));
  }
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter algorithms_chapter() {
  return {.title = "Question 3: convolution algorithms", .section = section, .place = 30};
}

}  // namespace benanza::analysis
