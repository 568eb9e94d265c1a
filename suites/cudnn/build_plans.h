#pragma once

#include "suites/cudnn/graph/plan_processes.h"

namespace benanza::cudnn {

/// A process of PlanProcess: builds plans of any variant for the device that it is told of. Returns
/// the exit status.
int build_plans_for_others();

}  // namespace benanza::cudnn
