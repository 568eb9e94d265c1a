#pragma once

#include "core/problem/ops/convolution.h"
#include "core/problem/ops/pooling.h"
#include "core/problem/problem.h"
#include "core/problem/window.h"
#include "suites/onednn/api/api.h"

namespace benanza::onednn {

/// An eltwise algorithm of the library and its parameters.
struct Eltwise {
  dnnl::algorithm algorithm;
  float alpha = 0;
  float beta = 0;
};

/// Throws Unsupported for a function that the library does not have.
Eltwise eltwise(const Activation& shape);

/// A window in oneDNN's terms.
struct LibraryWindow {
  Dims begin_pads;
  Dims end_pads;
  /// Elements skipped between two taps: dilation - 1.
  Dims gaps;

  explicit LibraryWindow(const Window& window)
      : begin_pads(window.pads.begin(),
                   window.pads.begin() + static_cast<std::ptrdiff_t>(window.rank())),
        end_pads(window.pads.begin() + static_cast<std::ptrdiff_t>(window.rank()),
                 window.pads.end()),
        gaps(window.dilations) {
    for (std::int64_t& gap : gaps) --gap;
  }
};

/// filters x channels x kernel, with a leading axis for the groups if there are several.
Dims weight_dims(const Convolution& shape);
dnnl::algorithm pooling_algorithm(PoolingMode mode);

}  // namespace benanza::onednn
