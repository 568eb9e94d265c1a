#pragma once

#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// The bound in nchw, in nhwc, and in the best mix of both. Throws Error for a filter that names a
/// layout.
Section layouts_section(const Subject& subject);

}  // namespace benanza::analysis
