#include "suites/plan/branches.h"

#include <gmock/gmock.h>

#include "suites/harness/primitive.h"

namespace benanza::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Tasks that wait for these, each with a call of its own.
class Graph {
 public:
  explicit Graph(std::vector<std::vector<std::size_t>> after) : calls_(after.size()) {
    for (std::size_t task = 0; task < after.size(); ++task) {
      tasks_.push_back({.calls = {&calls_[task]}, .after = std::move(after[task])});
    }
  }
  const std::vector<harness::Task>& tasks() const { return tasks_; }
  /// The numbers of the calls of each task.
  std::vector<std::vector<std::size_t>> calls(const std::vector<harness::Task>& tasks) const {
    std::vector<std::vector<std::size_t>> found;
    for (const harness::Task& task : tasks) {
      std::vector<std::size_t>& own = found.emplace_back();
      for (const harness::Primitive* const call : task.calls) {
        own.push_back(static_cast<std::size_t>(static_cast<const NoCall*>(call) - calls_.data()));
      }
    }
    return found;
  }

 private:
  struct NoCall final : harness::BareCall {
    void run() override {}
  };
  std::vector<NoCall> calls_;
  std::vector<harness::Task> tasks_;
};

std::vector<std::vector<std::size_t>> waits(const std::vector<harness::Task>& tasks) {
  std::vector<std::vector<std::size_t>> found;
  for (const harness::Task& task : tasks) found.push_back(task.after);
  return found;
}

// 0 -> {1 -> 2, 3} -> 4 -> 5 -> {6, 7} -> 8
const Graph two_modules({{}, {0}, {1}, {0}, {2, 3}, {4}, {5}, {5}, {6, 7}});

TEST(Regions, LieBetweenTasksThatAllOthersWaitFor) {
  EXPECT_THAT(parallel_regions(two_modules.tasks()), ElementsAre(Region{1, 4}, Region{6, 8}));
}

TEST(Regions, TheOthersRunInOrder) {
  const auto first = tasks_with(two_modules.tasks(), {{1, 4}});
  EXPECT_THAT(two_modules.calls(first), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2),
                                                    ElementsAre(3), ElementsAre(4, 5, 6, 7, 8)));
  EXPECT_THAT(waits(first), ElementsAre(IsEmpty(), ElementsAre(0), ElementsAre(1), ElementsAre(0),
                                        ElementsAre(2, 3)));
  const auto both = tasks_with(two_modules.tasks(), {{1, 4}, {6, 8}});
  EXPECT_THAT(two_modules.calls(both),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3),
                          ElementsAre(4, 5), ElementsAre(6), ElementsAre(7), ElementsAre(8)));
  EXPECT_THAT(waits(both).back(), ElementsAre(5, 6));
  const auto none = tasks_with(two_modules.tasks(), {});
  EXPECT_THAT(two_modules.calls(none), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8)));
}

TEST(Regions, AtTheBeginningWaitForNothing) {
  const Graph graph({{}, {}, {0, 1}});
  EXPECT_THAT(waits(tasks_with(graph.tasks(), {{0, 2}})),
              ElementsAre(IsEmpty(), IsEmpty(), ElementsAre(0, 1)));
}

}  // namespace
}  // namespace benanza::plan
