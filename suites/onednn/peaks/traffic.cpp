#include "suites/onednn/peaks/traffic.h"

#include <omp.h>

#include <chrono>
#include <cstring>
#include <stdexcept>

namespace benanza::onednn {
namespace {

constexpr int value = 0x5b;
constexpr int absent = 0x5a;

/// Calls `action(begin, bytes)` for every thread's part; returns whether any call returned true.
template <class Action>
bool in_parts(std::size_t bytes, const Action& action) {
  bool any = false;
#pragma omp parallel reduction(|| : any)
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t begin = bytes / threads * thread;
    any = action(begin, thread + 1 == threads ? bytes - begin : bytes / threads);
  }
  return any;
}

}  // namespace

Traffic::Traffic(std::size_t bytes)
    : bytes_(bytes),
      first_(std::make_unique_for_overwrite<unsigned char[]>(bytes)),
      second_(std::make_unique_for_overwrite<unsigned char[]>(bytes)) {
  in_parts(bytes_, [&](std::size_t begin, std::size_t count) {
    std::memset(&first_[begin], value, count);
    std::memset(&second_[begin], value, count);
    return false;
  });
}

double Traffic::rate(Kind kind) {
  const auto start = std::chrono::steady_clock::now();
  const bool differs = in_parts(bytes_, [&](std::size_t begin, std::size_t count) {
    unsigned char* const first = &first_[begin];
    unsigned char* const second = &second_[begin];
    switch (kind) {
      case Kind::read:
        return std::memchr(first, absent, count) != nullptr;
      case Kind::compare:
        return std::memcmp(first, second, count) != 0;
      case Kind::copy:
        std::memcpy(second, first, count);
        return false;
      case Kind::fill:
        std::memset(second, value, count);
        return false;
    }
    return true;
  });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  // Using the result also prevents the compiler from removing the search.
  if (differs) throw std::logic_error("memory does not hold what was written");
  const double buffers = kind == Kind::compare || kind == Kind::copy ? 2 : 1;
  return buffers * static_cast<double>(bytes_) / time.count();
}

}  // namespace benanza::onednn
