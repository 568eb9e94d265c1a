// DeepBench's tables as problems.
#include "generator/lists/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/file.h"
#include "core/tests/folder.h"
#include "generator/generate.h"

namespace benanza::lists {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string deepbench = std::string(LISTS) + '/';
const char* const sets[] = {"training", "inference_server", "inference_device"};

class List : public test::FolderTest {
 protected:
  LoweredGraph read(const std::string& table, const std::string& text) {
    std::filesystem::remove_all(folder_);
    make_directories(folder_);
    write_file(folder_ / (table + ".tsv"), text);
    return read_list(folder_ / "mine");
  }
  std::string error(const std::string& table, const std::string& text) {
    try {
      read(table, text);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

const std::string gemm_head = "set\tm\tn\tk\ttrans_a\ttrans_b\tapplication\n";
const std::string conv_head =
    "set\tn\tc\th\tw\tk\tr\ts\tpad_h\tpad_w\tstride_h\tstride_w\tpasses\tapplication\n";

/// op(X) of a matrix stored column-major, `rows` long, as in BLAS.
double blas(const std::vector<double>& x, std::int64_t rows, bool turned, std::int64_t i,
            std::int64_t j) {
  return x[static_cast<std::size_t>(turned ? j + i * rows : i + j * rows)];
}

TEST_F(List, TheTransposesOfBlasAreOurs) {
  const std::int64_t m = 2;
  const std::int64_t n = 3;
  const std::int64_t k = 4;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const std::string letters{ta ? 'T' : 'N', '\t', tb ? 'T' : 'N'};
      const LoweredGraph list = read("gemm", gemm_head + "mine\t2\t3\t4\t" + letters + "\t-\n");
      const auto& ours = std::get<Gemm>(list.layers.at(0).calls.at(0).problem.shape);
      std::vector<double> a(8);
      std::vector<double> b(12);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i * i + 1);
      for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(3 * i) - 7;
      // The first operand here is B's memory, the second A's; their rows are contiguous.
      const auto row_major = [](const std::vector<double>& x, std::int64_t columns, bool turned,
                                std::int64_t i, std::int64_t j) {
        return x[static_cast<std::size_t>(turned ? j * columns + i : i * columns + j)];
      };
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          double theirs = 0;
          double mine = 0;
          for (std::int64_t at = 0; at < k; ++at) {
            theirs += blas(a, ta ? k : m, ta, i, at) * blas(b, tb ? n : k, tb, at, j);
            mine += row_major(b, ours.transpose_a ? ours.m : ours.k, ours.transpose_a, j, at) *
                    row_major(a, ours.transpose_b ? ours.k : ours.n, ours.transpose_b, at, i);
          }
          EXPECT_EQ(mine, theirs) << letters;
        }
      }
    }
  }
}

TEST(DeepBench, ProductsAreThoseOfTheList) {
  const LoweredGraph training = read_list(deepbench + "training");
  std::map<std::string, LoweredLayer> by_name;
  for (const LoweredLayer& layer : training.layers) by_name[layer.name] = layer;
  const LoweredLayer& nn = by_name.at("m=1760 n=16 k=1760 NN (speech recognition)");
  EXPECT_EQ(nn.op, "deepbench.gemm");
  EXPECT_THAT(nn.problems, ElementsAre("gemm/m16_n1760_k1760_nn"));
  EXPECT_EQ(nn.flops, 2.0 * 1760 * 16 * 1760);
  EXPECT_THAT(by_name.at("m=1760 n=16 k=1760 TN (speech recognition)").problems,
              ElementsAre("gemm/m16_n1760_k1760_nt"));
  EXPECT_THAT(by_name.at("m=1760 n=7133 k=1760 NT (speech recognition)").problems,
              ElementsAre("gemm/m7133_n1760_k1760_tn"));
}

TEST(DeepBench, FlopsDoNotOverflow) {
  const LoweredGraph training = read_list(deepbench + "training");
  for (const LoweredLayer& layer : training.layers) {
    if (layer.name == "m=4608 n=48000 k=1536 NN (speech recognition)") {
      EXPECT_EQ(layer.flops, 679477248000.0);  // 2 m n k: beyond 32 bits
      return;
    }
  }
  FAIL();
}

TEST(DeepBench, ConvolutionsOfATrainingStep) {
  const LoweredGraph training = read_list(deepbench + "training");
  std::map<std::string, LoweredLayer> by_name;
  for (const LoweredLayer& layer : training.layers) by_name[layer.name] = layer;
  const std::string first = "n=4 c=1 h=161 w=700 k=32 r=5 s=20 pad=0,0 stride=2,2 ";
  const LoweredLayer& forward = by_name.at(first + "fwd (speech recognition)");
  EXPECT_EQ(forward.op, "deepbench.conv");
  EXPECT_THAT(forward.problems, ElementsAre("conv/4x1x161x700_k32x5x20_p0.0.0.0_s2x2_d1x1_g1"));
  // 4 images, 32 filters of 100 taps, (161 - 5) / 2 + 1 = 79 by (700 - 20) / 2 + 1 = 341 pixels.
  EXPECT_EQ(forward.flops, 2.0 * 4 * 32 * 79 * 341 * 100);
  EXPECT_FALSE(by_name.contains(first + "bwd_data (speech recognition)")) << "a first layer";

  const std::string second = "n=4 c=32 h=79 w=341 k=32 r=5 s=10 pad=0,0 stride=2,2 ";
  const LoweredLayer& data = by_name.at(second + "bwd_data (speech recognition)");
  EXPECT_EQ(data.op, "deepbench.conv.bwd_data");
  // 38 by 166 pixels: windows cover 2 * 37 + 5 = 79 rows and 2 * 165 + 10 = 340 of 341 columns.
  EXPECT_THAT(data.problems, ElementsAre("deconv/4x32x38x166_k32x5x10_p0.0.0.-1_s2x2_d1x1_g1"));
  EXPECT_EQ(data.flops, by_name.at(second + "fwd (speech recognition)").flops);
  const LoweredLayer& weights = by_name.at(second + "bwd_weights (speech recognition)");
  EXPECT_THAT(weights.problems,
              ElementsAre("conv_bwd_filter/4x32x79x341_k32x5x10_p0.0.0.0_s2x2_d1x1_g1"));
  EXPECT_EQ(weights.flops, data.flops);
}

TEST_F(List, ADataGradientHasTheShapeOfTheInput) {
  for (const char* set : sets) {
    const LoweredGraph list = read_list(deepbench + set);
    const Convolution* forward = nullptr;
    for (const LoweredLayer& layer : list.layers) {
      for (const Call& call : layer.calls) {
        if (const auto* shape = std::get_if<Convolution>(&call.problem.shape)) forward = shape;
        if (const auto* shape = std::get_if<Deconvolution>(&call.problem.shape)) {
          ASSERT_NE(forward, nullptr);
          EXPECT_EQ(shape->output(), forward->input) << layer.name;
          EXPECT_EQ(shape->inputs()[1].dims, forward->inputs()[1].dims) << "the same weights";
          EXPECT_EQ(shape->flops(), forward->flops()) << layer.name;
        }
      }
    }
  }
}

TEST(DeepBench, RecurrentLayers) {
  const LoweredGraph device = read_list(deepbench + "inference_device");
  std::vector<std::string> keys;
  for (const LoweredLayer& layer : device.layers) {
    if (layer.op == "deepbench.rnn") keys.push_back(layer.problems.at(0));
  }
  EXPECT_THAT(keys, ElementsAre("rnnrelu/t672_n1_i32_h32_l1_forward_bias_initial_final",
                                "rnnrelu/t96_n1_i64_h64_l1_forward_bias_initial_final",
                                "lstm/t150_n1_i256_h256_l1_forward_bias_initial_final"));
  for (const LoweredLayer& layer : read_list(deepbench + "inference_server").layers) {
    if (layer.name == "gru hidden=2816 batch=1 t=1500 (speech recognition)") {
      EXPECT_THAT(layer.problems,
                  ElementsAre("gru/t1500_n1_i2816_h2816_l1_forward_lbr_bias_initial_final"));
      return;
    }
  }
  FAIL();
}

TEST(DeepBench, SparseProducts) {
  for (const LoweredLayer& layer : read_list(deepbench + "inference_device").layers) {
    if (layer.name == "m=7680 n=1500 k=2560 NN sparsity=0.95 (speech recognition)") {
      // A twentieth of 7680 x 2560 elements; two FLOPs for each of them per column.
      EXPECT_THAT(layer.problems, ElementsAre("spmm/m7680_n1500_k2560_z983040"));
      EXPECT_EQ(layer.flops, 2.0 * 983040 * 1500);
      return;
    }
  }
  FAIL();
}

TEST(DeepBench, NoRowIsLost) {
  std::map<std::string, int> rows;
  std::map<std::string, std::set<std::string>> problems;
  std::map<std::string, int> repeats;
  for (const char* set : sets) {
    std::map<std::string, int> asked;
    for (const LoweredLayer& layer : read_list(deepbench + set).layers) {
      if (std::count(layer.op.begin(), layer.op.end(), '.') == 1) ++rows[layer.op];
      if (layer.op == "deepbench.conv" && ++asked[layer.problems.at(0)] > 1) ++repeats[layer.op];
      for (const std::string& problem : layer.problems) problems[layer.op].insert(problem);
      EXPECT_EQ(layer.cost == Cost::unsupported, layer.problems.empty()) << layer.name;
      EXPECT_EQ(layer.cost == Cost::unsupported, !layer.reason.empty()) << layer.name;
    }
  }
  EXPECT_EQ(rows, (std::map<std::string, int>{{"deepbench.all_reduce", 7},
                                              {"deepbench.conv", 217},
                                              {"deepbench.gemm", 248},
                                              {"deepbench.rnn", 125},
                                              {"deepbench.sparse_gemm", 32}}));
  EXPECT_EQ(problems["deepbench.gemm"].size(), 243U);
  EXPECT_EQ(problems["deepbench.conv"].size(), 191U);
  EXPECT_EQ(problems["deepbench.rnn"].size(), 124U);
  EXPECT_EQ(problems["deepbench.sparse_gemm"].size(), 24U);
  EXPECT_EQ(repeats["deepbench.conv"], 9) << "listed twice within a set";
}

TEST(DeepBench, TheTenFirstLayersHaveNoDataGradient) {
  int forward = 0;
  int data = 0;
  int weights = 0;
  for (const LoweredLayer& layer : read_list(deepbench + "training").layers) {
    forward += layer.op == "deepbench.conv" ? 1 : 0;
    data += layer.op == "deepbench.conv.bwd_data" ? 1 : 0;
    weights += layer.op == "deepbench.conv.bwd_weights" ? 1 : 0;
  }
  EXPECT_EQ(forward, 94);
  EXPECT_EQ(data, 84);
  EXPECT_EQ(weights, 94);
}

TEST(DeepBench, TablesMarkWhatIsWrongInThem) {
  const auto noted = [](const std::string& table, const std::string& note) {
    int rows = 0;
    for (const Row& row : read_table(deepbench + table + ".tsv")) {
      rows += row.text("note").find(note) != std::string::npos ? 1 : 0;
    }
    return rows;
  };
  EXPECT_EQ(noted("conv", "listed twice"), 9);
  EXPECT_EQ(noted("sparse_gemm", "m=7680"), 8);
  EXPECT_EQ(noted("gemm", "k=1530"), 14);
  EXPECT_EQ(noted("rnn", "hidden=32"), 1);
  EXPECT_EQ(noted("all_reduce", "16777216"), 1);
}

TEST(DeepBench, IsAModelWithoutDataFlow) {
  const Graph graph = make_graph(read_list(deepbench + "inference_device/"));
  EXPECT_EQ(graph.model, "deepbench_inference_device");
  EXPECT_EQ(graph.batch, std::nullopt);
  EXPECT_EQ(graph.layers.size(), 13U + 16 + 3 + 8);
  EXPECT_TRUE(graph.fusions.empty());
  EXPECT_TRUE(graph.transforms.empty());
  for (const Layer& layer : graph.layers) EXPECT_TRUE(layer.inputs.empty());
}

TEST_F(List, SaysWhereATableIsWrong) {
  const auto gemm = [&](const std::string& row) { return error("gemm", gemm_head + row + '\n'); };
  EXPECT_THAT(gemm("mine\t2\t0\t4\tN\tN\t-"),
              HasSubstr("gemm.tsv:2: n is \"0\": wants a whole number of at least 1"));
  EXPECT_THAT(gemm("mine\t2\t3\t4\tN\tC\t-"), HasSubstr("trans_b is \"C\": wants N or T"));
  EXPECT_THAT(gemm("mine\t2\t3"), HasSubstr("gemm.tsv:2: has 3 values for 7 columns"));
  EXPECT_THAT(gemm("other\t2\t3\t4\tN\tN\t-"),
              HasSubstr("no row is of the set mine: there are other"));
  EXPECT_THAT(error("gemm", "set\tm\nmine\t4\n"), HasSubstr("there is no column \"n\""));
  EXPECT_THAT(error("matmul", gemm_head),
              HasSubstr("matmul.tsv: tables are called all_reduce, conv, gemm"));
}

TEST_F(List, SaysWhatConvolutionsCannotBe) {
  EXPECT_THAT(error("conv", conv_head + "mine\t1\t1\t2\t2\t1\t3\t3\t0\t0\t1\t1\tfwd\t-\n"),
              HasSubstr("conv.tsv:2: the kernel is larger than the image"));
  EXPECT_THAT(error("conv", conv_head + "mine\t1\t1\t3\t3\t1\t3\t3\t0\t0\t1\t1\tbwd\t-\n"),
              HasSubstr("passes are fwd, bwd_data and bwd_weights, not \"bwd\""));
}

TEST(ListPath, NoTablesThere) { EXPECT_THROW(read_list("/nowhere/mine"), Error); }

}  // namespace
}  // namespace benanza::lists
