#include "core/problem/polyphase.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace benanza {
namespace {

/// Products of two extents exceed 64 bits.
using Wide = __int128;

Wide floor_of(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
Wide ceil_of(Wide a, Wide b) { return -floor_of(-a, b); }
Wide rest_of(Wide a, Wide b) { return a - floor_of(a, b) * b; }

/// The sum of floor((slope i + offset) / divisor) for i from 0 to count - 1; nothing is negative.
/// As in the Euclidean algorithm, each turn exchanges slope and divisor.
Wide sum_of_floors(Wide count, Wide divisor, Wide slope, Wide offset) {
  Wide sum = 0;
  while (true) {
    sum += count * (count - 1) / 2 * (slope / divisor) + count * (offset / divisor);
    slope %= divisor;
    offset %= divisor;
    const Wide last = slope * count + offset;
    if (last < divisor) return sum;
    count = last / divisor;
    offset = last % divisor;
    std::swap(slope, divisor);
  }
}

/// Numbers 0, step, 2 step, ...
struct Multiples {
  Wide count = 0;
  Wide step = 1;
};

/// Pairs of a number of `a` and one of `b` whose sum is below `limit`.
Wide pairs_below(Wide limit, const Multiples& a, const Multiples& b) {
  if (limit <= 0) return 0;
  const Wide some = std::min(b.count, (limit - 1) / b.step + 1);
  // For the first numbers of b, all of a.
  const Wide room = limit - 1 - (a.count - 1) * a.step;
  const Wide full = room < 0 ? 0 : std::min(some, room / b.step + 1);
  const Wide rest = some - full;
  if (rest == 0) return full * a.count;
  return full * a.count + rest +
         sum_of_floors(rest, a.step, b.step, limit - 1 - (some - 1) * b.step);
}

/// A sum at stride and dilation 1: output a and tap b use input a + b, which exists from `first` to
/// `last`.
struct Sum {
  Wide outputs = 0;
  Wide taps = 0;
  Wide first = 0;
  Wide last = 0;

  /// Limits the inputs to those in reach; false if there are none.
  bool clip() {
    first = std::max<Wide>(first, 0);
    last = std::min(last, outputs + taps - 2);
    return first <= last;
  }
};

/// Begin, count and size of the classes of numbers below `total` that are congruent modulo
/// `modulus` and have the same size.
struct Classes {
  Wide begin = 0;
  Wide count = 0;
  Wide size = 0;
};

std::array<Classes, 2> classes_of(Wide total, Wide modulus) {
  const Wide larger = total % modulus;
  return {{{0, larger, total / modulus + 1}, {larger, modulus - larger, total / modulus}}};
}

/// Calls use(sum, count) for the sums that the axis is made of; equal ones come together.
template <class Use>
void for_each_sum(const Axis& axis, const Use& use) {
  if (axis.inputs <= 0 || axis.outputs <= 0 || axis.kernel <= 0) return;
  const std::int64_t common = std::gcd(axis.stride, axis.dilation);
  const Wide stride = axis.stride / common;
  const Wide dilation = axis.dilation / common;
  const Wide period = stride * dilation;
  // The inputs that exist, counted from the first tap of the first output.
  const Wide first = ceil_of(axis.pad, common);
  const Wide last = floor_of(Wide{axis.inputs} - 1 + axis.pad, common);
  for (const Classes& outputs : classes_of(axis.outputs, dilation)) {
    for (const Classes& taps : classes_of(axis.kernel, stride)) {
      if (outputs.count == 0 || outputs.size == 0 || taps.count == 0 || taps.size == 0) continue;
      // Output class u and tap class v use inputs from u * stride + v * dilation on, in steps of
      // the period.
      const Multiples u{outputs.count, stride};
      const Multiples v{taps.count, dilation};
      const Wide begin = outputs.begin * stride + taps.begin * dilation;
      const Wide end = begin + (u.count - 1) * stride + (v.count - 1) * dilation + 1;
      // Where the first or the last input that exists becomes another one.
      std::vector<Wide> cuts{begin, end};
      for (const Wide edge : {first, last + 1}) {
        const Wide next = begin + 1;
        for (Wide cut = next + rest_of(edge - next, period); cut < end; cut += period) {
          cuts.push_back(cut);
        }
      }
      std::sort(cuts.begin(), cuts.end());
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const Wide count =
            pairs_below(cuts[i + 1] - begin, u, v) - pairs_below(cuts[i] - begin, u, v);
        Sum sum{outputs.size, taps.size, ceil_of(first - cuts[i], period),
                floor_of(last - cuts[i], period)};
        if (count > 0 && sum.clip()) use(sum, count);
      }
    }
  }
}

}  // namespace

double all_products(const Axis& axis) {
  Wide all = 0;
  for_each_sum(axis, [&](const Sum& sum, Wide count) {
    const auto below = [&](Wide limit) {
      return pairs_below(limit, {sum.outputs, 1}, {sum.taps, 1});
    };
    all += count * (below(sum.last + 1) - below(sum.first));
  });
  return static_cast<double>(all);
}

double least_products(const Axis& axis) {
  Wide least = 0;
  for_each_sum(axis, [&](const Sum& sum, Wide count) {
    // Those of `others` outputs that meet one of `total` taps on an input, or the reverse.
    const auto met = [&](Wide total, Wide others) {
      return std::min(total - 1, sum.last) - std::max<Wide>(0, sum.first - others + 1) + 1;
    };
    const Wide inputs = sum.last - sum.first + 1;
    const Wide outputs = met(sum.outputs, sum.taps);
    const Wide taps = met(sum.taps, sum.outputs);
    least += count * (inputs + outputs + taps - std::max({inputs, outputs, taps}) - 1);
  });
  return static_cast<double>(least);
}

double touched_inputs(const Axis& axis) {
  Wide touched = 0;
  for_each_sum(axis,
               [&](const Sum& sum, Wide count) { touched += count * (sum.last - sum.first + 1); });
  return static_cast<double>(touched);
}

}  // namespace benanza
