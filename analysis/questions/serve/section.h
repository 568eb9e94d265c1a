#pragma once

#include <vector>

#include "analysis/model/floor.h"
#include "analysis/questions/serve/answer.h"
#include "analysis/render/page.h"

namespace benanza::analysis {

/// The answer about one variant of a model. `rates`: of the device; `filter`: of the variant's
/// steps.
Section serving_section(const ServedVariant& served, const ServingAnswer& answer,
                        const DeviceRates& rates, const Inputs& inputs,
                        const MeasurementFilter& filter);

/// What each variant of one model gains over the first one; of at least two.
Section variants_section(const std::vector<ServedVariant>& served,
                         const std::vector<ServingAnswer>& answers);

}  // namespace benanza::analysis
