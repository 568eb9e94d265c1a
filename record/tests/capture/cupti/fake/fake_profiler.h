#pragma once

#include <cupti.h>

namespace fake {

/// The subscriber that is told of launches.
void subscribe(CUpti_CallbackFunc function, void* argument);
/// A kernel of 2 blocks of 32 threads.
void launch(const char* kernel);
/// Crashes if counters are enabled.
void launch_graph();

}  // namespace fake
