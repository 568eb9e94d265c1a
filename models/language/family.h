#pragma once

#include <string>
#include <vector>

#include "models/language/config.h"
#include "models/language/decoder.h"

namespace benanza::language {

/// A file under families/language defines a function named like the file that returns one; the
/// build collects them.
struct Family {
  /// Values of a configuration's "model_type".
  std::vector<std::string> model_types;
  Decoder (*read)(const Config&);
};

/// All of them, by file.
std::vector<Family> families();

/// Throws Error with the known types if there is no family for the configuration.
Decoder read_decoder(const Config& config);

/// What most families have in common. `tied`, `otherwise`: where the configuration does not say.
Decoder plain_decoder(const Config& config, bool tied);
Attention plain_attention(const Config& config);
/// Throws Error for functions that are none of Gate's.
FeedForward plain_feed_forward(const Config& config, Gate otherwise = Gate::silu);
std::int64_t layer_count(const Config& config);

/// Which layers see a window only: "layer_types" of the configuration, or else every layer but each
/// `period`-th; none if `period` is 0.
std::vector<bool> windowed_layers(const Config& config, std::int64_t period);

}  // namespace benanza::language
