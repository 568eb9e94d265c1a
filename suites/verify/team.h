#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace benanza::verify {

/// The processors of this machine, for many short pieces of work one after the other: threads that
/// are started once, when there is a piece that is worth it, and wait for the next.
class Team {
 public:
  using Work = std::function<void(std::int64_t begin, std::int64_t end)>;

  Team() = default;
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// work(begin, end) over parts of [0, count): by all of them if there are products enough to do.
  /// `work` does not throw.
  void in_parts(std::int64_t count, std::int64_t products, const Work& work);

 private:
  void start();
  void take_part(std::int64_t part);
  void do_part(std::int64_t part) const;

  std::vector<std::jthread> others_;
  const Work* work_ = nullptr;
  std::int64_t count_ = 0;
  bool ended_ = false;
  /// Pieces of work so far.
  std::atomic<std::uint32_t> pieces_ = 0;
  /// Of `others_`, at the latest piece.
  std::atomic<std::int64_t> working_ = 0;
};

/// work(i) for all i below `count`, in any order: by all processors, once the first of them have
/// taken a millisecond. What `work` throws passes through.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace benanza::verify
