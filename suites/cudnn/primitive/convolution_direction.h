#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "suites/cudnn/api/status.h"
#include "suites/cudnn/primitive/heuristics.h"
#include "suites/cudnn/primitive/library.h"

namespace benanza::cudnn {

/// One of the three library functions of every direction of a convolution, with its name for
/// errors.
template <class Function>
struct NamedCall {
  Function* function;
  const char* name;
  template <class... Arguments>
  void operator()(Arguments... arguments) const {
    check(function(arguments...), name);
  }
};
#define BENANZA_CUDNN_CALL(function) \
  ::benanza::cudnn::NamedCall<decltype(function)> { &function, #function }

/// Queries about the algorithms of one direction (forward, data gradient, filter gradient).
/// `Direction` defines what differs:
///   Descriptors, Answer;
///   max_count, heuristics, workspace: NamedCall;
///   operands(descriptors): a tuple of the descriptors in the order of the calls;
///   cache(library): the HeuristicsCache<Answer>.
template <class Direction>
struct ConvolutionDirection {
  using Answer = typename Direction::Answer;
  using Descriptors = typename Direction::Descriptors;
  using Algorithm = decltype(Answer::algo);

  /// Best first; see HeuristicsCache::of().
  static const std::vector<Answer>& answers(Library& library, const harness::Variant& variant,
                                            const Descriptors& descriptors) {
    return Direction::cache(library).of(variant, [&] { return ask(library, descriptors); });
  }

  /// Throws what Library::check_workspace() throws.
  static std::int64_t workspace_bytes(Library& library, const Descriptors& descriptors,
                                      Algorithm algorithm) {
    std::size_t bytes = 0;
    std::apply(
        [&](auto... operands) {
          Direction::workspace(library.handle(), operands..., algorithm, &bytes);
        },
        Direction::operands(descriptors));
    library.check_workspace(static_cast<std::int64_t>(bytes));
    return static_cast<std::int64_t>(bytes);
  }

  /// heuristic_rank and tensor_core_claimed, as far as the library reports them.
  static Facts facts(Library& library, const harness::Variant& variant,
                     const Descriptors& descriptors, Algorithm algorithm) {
    const HeuristicAnswer answer = answer_for(answers(library, variant, descriptors), algorithm);
    Facts facts;
    if (answer.rank) facts["heuristic_rank"] = static_cast<double>(*answer.rank);
    if (answer.tensor_core_claimed) facts["tensor_core_claimed"] = *answer.tensor_core_claimed;
    return facts;
  }

 private:
  static std::vector<Answer> ask(Library& library, const Descriptors& descriptors) {
    int count = 0;
    Direction::max_count(library.handle(), &count);
    std::vector<Answer> answers(static_cast<std::size_t>(count));
    std::apply(
        [&](auto... operands) {
          Direction::heuristics(library.handle(), operands..., static_cast<int>(answers.size()),
                                &count, answers.data());
        },
        Direction::operands(descriptors));
    answers.resize(static_cast<std::size_t>(count));
    return answers;
  }
};

}  // namespace benanza::cudnn
