#include "suites/onednn/plan.h"

namespace benanza::onednn {

bool Implementation::next() {
  if (!list_ || !list_->next_impl()) return false;
  current_ = *list_;
  return true;
}

}  // namespace benanza::onednn
