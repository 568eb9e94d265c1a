#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::nccl {

/// NCCL's collectives over the GPUs of this process. Algorithms: `default`, the library's own
/// choice, replayed from CUDA graphs, and `launched`, the same calls launched one by one. With
/// fewer than `least_gpus` GPUs, there is no device.
std::unique_ptr<harness::Backend> make_backend(int least_gpus = 1);

/// Returns the numbers of ranks worth measuring on so many GPUs: powers of two, and all of them; 2
/// if there are fewer.
std::vector<std::int64_t> worthwhile_ranks(int gpus);

}  // namespace benanza::nccl
