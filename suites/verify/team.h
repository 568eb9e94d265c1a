#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace benanza::verify {

/// A thread pool over all CPUs for many short pieces of work in sequence. The threads are started
/// once, for the first piece that is large enough, and then wait for the next.
class Team {
 public:
  using Work = std::function<void(std::int64_t begin, std::int64_t end)>;

  Team() = default;
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Runs work(begin, end) on parts of [0, count), in parallel if there are enough `products` to
  /// compute. `work` must not throw.
  void in_parts(std::int64_t count, std::int64_t products, const Work& work);

 private:
  void start();
  void take_part(std::int64_t part);
  void do_part(std::int64_t part) const;

  std::vector<std::jthread> others_;
  const Work* work_ = nullptr;
  std::int64_t count_ = 0;
  bool ended_ = false;
  /// The number of pieces of work so far.
  std::atomic<std::uint32_t> pieces_ = 0;
  /// How many of `others_` are still working on the latest piece.
  std::atomic<std::int64_t> working_ = 0;
};

/// Runs work(i) for all i below `count`, in any order, in parallel after the first millisecond.
/// Rethrows what `work` throws.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace benanza::verify
