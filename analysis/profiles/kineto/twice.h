#pragma once

#include "analysis/profiles/kineto/event_reader.h"

namespace benanza::analysis::kineto {

/// Removes work that the trace tells again, as one does that was merged with itself: the same name,
/// launch and times on the same stream. Returns how many. `links`: of each work.
std::size_t drop_told_twice(std::vector<Work>& work, std::vector<WorkLinks>& links);

}  // namespace benanza::analysis::kineto
