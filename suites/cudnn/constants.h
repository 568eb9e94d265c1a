#pragma once

namespace benanza::cudnn {

/// Blend factors as the library reads them: fp32 on the host, whatever the precision of the data.
inline constexpr float zero = 0.0F;
inline constexpr float one = 1.0F;

}  // namespace benanza::cudnn
