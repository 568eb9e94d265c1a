#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>

#include "models/language/decoder.h"
#include "models/language/layers.h"
#include "models/language/pass.h"

namespace benanza::language {

/// A graph of one forward pass on one GPU, without weights. Its tensors are float32: the precision
/// of a run says what they are measured as. Its metadata say which pass it is, and what its weights
/// and caches take.
struct Written {
  ::onnx::ModelProto model;
  /// Of one GPU.
  std::int64_t parameters = 0;
  std::int64_t weight_bytes = 0;
  CacheBytes cache{};
};

/// The head is computed for the last token of each sequence; of a pass of at most 16 tokens behind
/// earlier ones, which may be guesses to verify, for all. Embeddings, norms, routers and a head
/// tied to the embedding stay floats whatever `pass.weights`; so does any head with fp8, fp8_block,
/// int8, or where `pass.float_head` says so. Throws Error if the pass does not suit the model.
Written write(const Decoder& decoder, const Pass& pass, const std::string& name,
              bool separate = false);

}  // namespace benanza::language
