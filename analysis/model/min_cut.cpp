#include "analysis/model/min_cut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

namespace benanza::analysis {
namespace {

using boost::property;
using Edge =
    boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>::edge_descriptor;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    property<boost::vertex_color_t, boost::default_color_type,
             property<boost::vertex_distance_t, long, property<boost::vertex_predecessor_t, Edge>>>,
    property<boost::edge_capacity_t, std::int64_t,
             property<boost::edge_residual_capacity_t, std::int64_t,
                      property<boost::edge_reverse_t, Edge>>>>;

void add_edge(Network& network, std::size_t from, std::size_t to, std::int64_t capacity) {
  if (capacity <= 0) return;
  const Edge there = boost::add_edge(from, to, network).first;
  const Edge back = boost::add_edge(to, from, network).first;
  boost::put(boost::edge_capacity, network, there, capacity);
  boost::put(boost::edge_capacity, network, back, 0);
  boost::put(boost::edge_reverse, network, there, back);
  boost::put(boost::edge_reverse, network, back, there);
}

}  // namespace

std::size_t MinCut::add(std::int64_t cost_left, std::int64_t cost_right) {
  things_.push_back({cost_left, cost_right});
  return things_.size() - 1;
}

void MinCut::add_edge(std::size_t a, std::size_t b, std::int64_t cost) {
  pairs_.push_back({a, b, cost});
}

std::vector<bool> MinCut::solve() const {
  // Being right cuts the edge from the source, being left the edge to the sink.
  const std::size_t source = things_.size();
  const std::size_t sink = source + 1;
  Network network(sink + 1);
  for (std::size_t thing = 0; thing < things_.size(); ++thing) {
    analysis::add_edge(network, source, thing, things_[thing].right);
    analysis::add_edge(network, thing, sink, things_[thing].left);
  }
  for (const Pair& pair : pairs_) analysis::add_edge(network, pair.a, pair.b, pair.cost);
  boost::boykov_kolmogorov_max_flow(network, source, sink);
  // Those that the source still reaches are left.
  std::vector<bool> right;
  for (std::size_t thing = 0; thing < things_.size(); ++thing) {
    right.push_back(boost::get(boost::vertex_color, network, thing) != boost::black_color);
  }
  return right;
}

}  // namespace benanza::analysis
