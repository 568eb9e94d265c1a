#include "suites/onednn/plan.h"

#include <utility>

namespace benanza::onednn {

bool Offer::next() {
  if (!list_ || !list_->next_impl()) return false;
  current_ = *list_;
  return true;
}

Solver solver_of_one(std::vector<Layout> layouts, std::function<Plan(const Setting&)> plan) {
  return {.layouts = std::move(layouts),
          .attempts = [plan = std::move(plan)](const Setting& setting) {
            return std::vector<Attempt>{{.prefix = "", .plan = [=] { return plan(setting); }}};
          }};
}

}  // namespace benanza::onednn
