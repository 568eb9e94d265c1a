#pragma once

#include "suites/cudnn/graph/plan_processes.h"

namespace benanza::cudnn {

/// The main function of PlanProcess's child: builds plans and answers questions for the device that
/// it is sent. Returns the exit status.
int build_plans_for_others();

}  // namespace benanza::cudnn
