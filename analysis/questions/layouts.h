#pragma once

#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// The bound in nchw, in nhwc, and in the best mix of both. Throws Error if the filter names a
/// layout.
Section layouts_section(const Subject& subject);

}  // namespace benanza::analysis
