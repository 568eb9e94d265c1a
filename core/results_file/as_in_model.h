#pragma once

namespace benanza {

/// Fact of a row whose call has the model's axes, of a problem that other calls ask for in fewer.
inline constexpr const char* as_in_model_fact = "as_in_model";

}  // namespace benanza
