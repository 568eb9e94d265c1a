#include "core/base/at_once.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace benanza {

void at_once(std::size_t count, const std::function<void(std::size_t index)>& work) {
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        work(index);
      } catch (...) {
        thrown[index] = std::current_exception();
      }
    }
  };
  {
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> others;
    for (std::size_t other = 1; other < std::min(count, most); ++other) others.emplace_back(run);
    run();
  }
  for (const std::exception_ptr& one : thrown) {
    if (one) std::rethrow_exception(one);
  }
}

}  // namespace benanza
