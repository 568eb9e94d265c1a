#include "analysis/model/iteration.h"

#include <gtest/gtest.h>

namespace benanza::analysis {
namespace {

/// `start` plus 1 s per byte.
CommunicationCost one_a_byte(double start = 0) {
  return [start](double bytes) { return start + bytes; };
}

constexpr Overlap wait_free{.input = true, .communication = true};

std::vector<Segment> of(const Iteration& iteration, Activity activity) {
  std::vector<Segment> found;
  for (const Segment& segment : iteration.timeline) {
    if (segment.activity == activity) found.push_back(segment);
  }
  return found;
}

// forward 4 s, backward 2 + 2 + 2 s, update 1 s.
WorkerStep three_layers(double last_gradient) {
  return {.io = 1,
          .to_device = 1,
          .forward = 4,
          .backward = {{2, 1}, {2, 1}, {2, last_gradient}},
          .update = 1};
}

TEST(Iteration, WithoutOverlapEverythingAddsUp) {  // 1 + 1 + 4 + 6 + (1 + 1 + 3) + 1
  const WorkerStep step = three_layers(3);
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration result = iteration(step, all, one_a_byte(), {});
  EXPECT_DOUBLE_EQ(result.seconds, 18);
  EXPECT_DOUBLE_EQ(result.communication_seconds, 5);
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 5);
  EXPECT_DOUBLE_EQ(result.exposed_input_seconds, 2);
}

TEST(Iteration, OverlappedInputHidesBehindTheStep) {  // max(1 + 1, 4 + 6 + 5 + 1)
  WorkerStep step = three_layers(3);
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration hidden = iteration(step, all, one_a_byte(), {.input = true});
  EXPECT_DOUBLE_EQ(hidden.seconds, 16);
  EXPECT_DOUBLE_EQ(hidden.exposed_input_seconds, 0);
  step.io = 19;
  const Iteration waits = iteration(step, all, one_a_byte(), {.input = true});
  EXPECT_DOUBLE_EQ(waits.seconds, 20);
  EXPECT_DOUBLE_EQ(waits.exposed_input_seconds, 4);
}

TEST(Iteration, LayersWhoseMessagesHideCostNothing) {
  // Backward layers end at 6, 8, 10. Messages: 6 to 7, 8 to 9, 10 to 13: the last is exposed.
  const WorkerStep step = three_layers(3);
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration result = iteration(step, all, one_a_byte(), wait_free);
  EXPECT_EQ(of(result, Activity::communication),
            (std::vector<Segment>{{Activity::communication, 0, 6, 7},
                                  {Activity::communication, 1, 8, 9},
                                  {Activity::communication, 2, 10, 13}}));
  EXPECT_DOUBLE_EQ(result.communication_seconds, 5);
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 3);
  EXPECT_DOUBLE_EQ(result.seconds, 4 + 6 + 3 + 1);
  EXPECT_EQ(of(result, Activity::update), (std::vector<Segment>{{Activity::update, 0, 13, 14}}));
}

TEST(Iteration, MessagesWaitForEachOther) {
  // Backward layers end at 2, 4. Message 0: 2 to 7; message 1 waits: 7 to 8.
  const WorkerStep step{.backward = {{2, 5}, {2, 1}}};
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration result = iteration(step, all, one_a_byte(), wait_free);
  EXPECT_EQ(of(result, Activity::communication),
            (std::vector<Segment>{{Activity::communication, 0, 2, 7},
                                  {Activity::communication, 1, 7, 8}}));
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 4);
  EXPECT_DOUBLE_EQ(result.seconds, 8);
}

TEST(Iteration, ContentionStretchesWhatIsComputedMeanwhile) {
  // Layer 0 ends at 2. A message of 3 s: 2 to 5. At half speed, layer 1 does 1.5 of its 2 s by
  // then, and the rest by 5.5.
  const WorkerStep step{.backward = {{2, 3}, {2, 0}}};
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  Overlap overlap = wait_free;
  overlap.contention = 2;
  const Iteration result = iteration(step, all, one_a_byte(), overlap);
  EXPECT_EQ(of(result, Activity::backward),
            (std::vector<Segment>{{Activity::backward, 0, 0, 2}, {Activity::backward, 1, 2, 5.5}}));
  EXPECT_DOUBLE_EQ(result.contention_seconds, 1.5);
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 0);
  EXPECT_DOUBLE_EQ(result.seconds, 5.5);
  EXPECT_THROW(iteration(step, all, one_a_byte(), {.contention = 0.5}), std::invalid_argument);
}

TEST(Iteration, MessagesThatAreSlowerBesideComputationCatchUpBehindIt) {
  // A message of 4 s starts at 2. At half speed, 1 s of it is done when layer 1 ends at 4; the rest
  // takes 3 s.
  const WorkerStep step{.backward = {{2, 4}, {2, 0}}};
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration result = iteration(step, all, one_a_byte(), wait_free, {.message_slowdown = 2});
  EXPECT_EQ(of(result, Activity::communication),
            (std::vector<Segment>{{Activity::communication, 0, 2, 7}}));
  EXPECT_DOUBLE_EQ(result.communication_seconds, 5);
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 3);
  EXPECT_DOUBLE_EQ(result.seconds, 7);
  // With both slowdowns layer 1 takes 4 s, in which 2 s of the message are done; 2 s are left.
  Overlap overlap = wait_free;
  overlap.contention = 2;
  EXPECT_DOUBLE_EQ(iteration(step, all, one_a_byte(), overlap, {.message_slowdown = 2}).seconds, 8);
  // A short message is hidden: 1 s takes 2 s, from 2 to 4.
  const WorkerStep less{.backward = {{2, 1}, {2, 0}}};
  EXPECT_DOUBLE_EQ(
      iteration(less, {{1, 0}}, one_a_byte(), wait_free, {.message_slowdown = 2}).seconds, 4);
}

TEST(Iteration, GradientsAreCopiedIntoMessagesAndBack) {
  // Forward ends at 4. Layer 0 and its copy end at 4 + 2 + 0.5 = 6.5, layer 1 at 9.5, layer 2 at
  // 12. Messages: 6.5 to 8.5 and 12 to 15. Layer 0's message has arrived: copied back from 12 to
  // 13; the one of layers 1 and 2 from 15 to 17 + 0.25. Update until 18.25.
  const WorkerStep step{
      .forward = 4, .backward = {{2, 2, 0.5, 1}, {2, 1, 1, 2}, {2, 2, 0.5, 0.25}}, .update = 1};
  const std::vector<Message> two{{2, 0}, {3, 2}};
  const Iteration result = iteration(step, two, one_a_byte(), wait_free);
  EXPECT_EQ(of(result, Activity::backward),
            (std::vector<Segment>{{Activity::backward, 0, 4, 6.5},
                                  {Activity::backward, 1, 6.5, 9.5},
                                  {Activity::backward, 2, 9.5, 12}}));
  EXPECT_EQ(of(result, Activity::communication),
            (std::vector<Segment>{{Activity::communication, 0, 6.5, 8.5},
                                  {Activity::communication, 1, 12, 15}}));
  EXPECT_EQ(of(result, Activity::unpack), (std::vector<Segment>{{Activity::unpack, 0, 12, 13},
                                                                {Activity::unpack, 1, 15, 17.25}}));
  EXPECT_DOUBLE_EQ(result.pack_seconds, 2);
  EXPECT_DOUBLE_EQ(result.unpack_seconds, 3.25);
  EXPECT_DOUBLE_EQ(result.contention_seconds, 0);
  // From 13 to 15: until 13, the first copy back fills the time.
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 2);
  EXPECT_DOUBLE_EQ(result.seconds, 4 + 6 + 2 + 2 + 3.25 + 1);
  // One worker copies nothing.
  const Iteration alone = iteration(step, two, nullptr, wait_free);
  EXPECT_DOUBLE_EQ(alone.seconds, 11);
  EXPECT_DOUBLE_EQ(alone.pack_seconds + alone.unpack_seconds, 0);
}

TEST(Iteration, SeveralWorkersSendBuffersAndWaitForTheSlowest) {
  // Buffers take 3 s; forward 4, backward 6 and update 1 s take 1.5 times as long. Messages of 1, 1
  // and 3 s: the last is exposed.
  const WorkerStep step = three_layers(3);
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  Together together{.buffers = 3, .slowest = 1.5};
  const Iteration result = iteration(step, all, one_a_byte(), wait_free, together);
  EXPECT_EQ(of(result, Activity::buffers), (std::vector<Segment>{{Activity::buffers, 0, 0, 3}}));
  EXPECT_EQ(of(result, Activity::forward), (std::vector<Segment>{{Activity::forward, 0, 3, 9}}));
  EXPECT_DOUBLE_EQ(result.buffers_seconds, 3);
  EXPECT_DOUBLE_EQ(result.slowest_seconds, 5.5);
  EXPECT_DOUBLE_EQ(result.seconds, 3 + 1.5 * 11 + 3);
  EXPECT_DOUBLE_EQ(iteration(step, all, nullptr, wait_free, together).seconds, 11);
  // A host that needs 25 s per step is never ahead of a device that needs 22.5.
  together.host = 25;
  const Iteration late = iteration(step, all, one_a_byte(), wait_free, together);
  EXPECT_DOUBLE_EQ(late.seconds, 25);
  EXPECT_DOUBLE_EQ(late.host_seconds, 2.5);
  together.slowest = 0.5;
  EXPECT_THROW(iteration(step, all, one_a_byte(), wait_free, together), std::invalid_argument);
}

TEST(Iteration, AMessageThatEndsWithALayerMakesRoomForTheNext) {
  // Layers end at 2, 4, 6; messages of 2 s: 2 to 4, 4 to 6, 6 to 8.
  const WorkerStep step{.backward = {{2, 2}, {2, 2}, {2, 2}}};
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration result = iteration(step, all, one_a_byte(), wait_free);
  EXPECT_DOUBLE_EQ(result.seconds, 8);
  EXPECT_DOUBLE_EQ(result.exposed_communication_seconds, 2);
}

TEST(Iteration, OneWorkerSendsNothing) {
  const WorkerStep step = three_layers(3);
  const auto all = messages(step.backward, Buckets::layer_by_layer());
  const Iteration result = iteration(step, all, nullptr, wait_free);
  EXPECT_DOUBLE_EQ(result.seconds, 11);
  EXPECT_DOUBLE_EQ(result.communication_seconds, 0);
  EXPECT_TRUE(of(result, Activity::communication).empty());
}

TEST(Iteration, FewerMessagesSaveStartsAndHideLess) {
  // Each message costs 2 s plus its bytes. Backward layers end at 1, 2, 3, 4; one byte each.
  const std::vector<BackwardLayer> backward{{1, 1}, {1, 1}, {1, 1}, {1, 1}};
  const WorkerStep step{.backward = backward};
  const auto seconds = [&](const Buckets& buckets) {
    return iteration(step, messages(backward, buckets), one_a_byte(2), wait_free).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(Buckets::layer_by_layer()), 1 + 4 * 3);  // back to back from 1 on
  EXPECT_DOUBLE_EQ(seconds(Buckets::one()), 4 + 2 + 4);
  EXPECT_DOUBLE_EQ(seconds({.bytes = 2, .first_bytes = 2}), 2 + 2 * (2 + 2));
}

TEST(Messages, CloseWithTheLayerThatFillsThem) {
  constexpr double mib = 1024 * 1024;
  const std::vector<BackwardLayer> backward{{1, 0.5 * mib}, {1, 0},        {1, 0.6 * mib},
                                            {1, 20 * mib},  {1, 30 * mib}, {1, 3 * mib}};
  EXPECT_EQ(messages(backward, {}),
            (std::vector<Message>{{0.5 * mib + 0.6 * mib, 2}, {50 * mib, 4}, {3 * mib, 5}}));
  EXPECT_EQ(messages(backward, Buckets::one()).size(), 1U);
  EXPECT_EQ(messages(backward, Buckets::layer_by_layer()).size(), 5U);
  // A small size also applies to the first message.
  EXPECT_EQ(messages(backward, {.bytes = 1}).size(), 5U);
  EXPECT_TRUE(messages({{1, 0}}, {}).empty());
}

TEST(Iteration, BottleneckIsWhatCouldGainMost) {
  WorkerStep step = three_layers(3);
  const auto all = messages(step.backward, Buckets::one());
  EXPECT_EQ(bottleneck(step, all, one_a_byte(), wait_free), Bottleneck::computation);
  EXPECT_EQ(bottleneck(step, all, one_a_byte(100), wait_free), Bottleneck::communication);
  step.io = 100;
  EXPECT_EQ(bottleneck(step, all, one_a_byte(), wait_free), Bottleneck::input);
}

TEST(Scaling, EfficiencyIsPerWorker) {
  EXPECT_DOUBLE_EQ(speed_up(4, 10, 12.5), 3.2);
  EXPECT_DOUBLE_EQ(efficiency(10, 12.5), 0.8);
}

TEST(ParameterServer, EveryOtherWorkerSendsAndReceives) {  // 2 * 3 transfers of 1 + 5 s
  EXPECT_DOUBLE_EQ(parameter_server(4, one_a_byte(1))(5), 36);
  EXPECT_DOUBLE_EQ(parameter_server(1, one_a_byte(1))(5), 0);
}

}  // namespace
}  // namespace benanza::analysis
