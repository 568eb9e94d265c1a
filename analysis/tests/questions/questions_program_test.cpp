// The questions other than `bound`, run as a user does.

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "analysis/tests/small_model.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;
using test::contents;
using test::data;
using test::expect_error;
using test::Outcome;
using test::results_text;
using test::row;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Questions : public test::SmallModel {
 protected:
  /// Every problem of the model takes 10 us at fp32 and 5 us at fp16, in both layouts.
  Questions() {
    std::string rows;
    for (const std::string& key : problem_keys({read_graph(graph_)})) {
      const bool plain = key.starts_with("gemm") || key.starts_with("copy");
      for (const char* layout : {"nchw", "nhwc"}) {
        const std::string place = plain ? "plain" : layout;
        for (const auto& [precision, samples] :
             {std::pair("fp32", "[1e-5, 1e-5]"), std::pair("fp16", "[5e-6, 5e-6]")}) {
          if (!rows.empty()) rows += ",\n";
          rows += row(key + '/' + precision + '/' + place + "/cudnn/a", samples);
        }
        if (plain) break;
      }
    }
    std::string text = results_text(rows, "1", "cudnn");
    cpu_results_ = folder_.write("cpu.json", text).string();
    const std::string cpu = R"("cpu_model": "a CPU")";
    text.replace(text.find(cpu), cpu.size(), R"("device": "a GPU")");
    results_ = folder_.write("r.json", text).string();
  }
  std::string asked_of_cpu(const std::string& question) const {
    return question + " --graph " + graph_ + " --results " + cpu_results_;
  }
  std::string asked(const std::string& question) const {
    return question + " --graph " + graph_ + " --results " + results_;
  }

  /// Of a GPU, and the same of a processor.
  std::string results_;
  std::string cpu_results_;
};

TEST_F(Questions, ADatabaseAnswersAsItsFilesDo) {
  const std::string database = path("r.db");
  const Outcome import = run("db import " + database + " " + results_);
  ASSERT_EQ(import.status, 0) << import.err;
  EXPECT_THAT(import.out, HasSubstr("new rows from 1 file; 0 known already"));
  EXPECT_THAT(run("db import " + database + " " + results_).out, HasSubstr(": 0 new rows"));
  const Outcome from_file = run(asked("bound") + " --format json");
  const Outcome from_database =
      run("bound --graph " + graph_ + " --results " + database + " --format json");
  EXPECT_EQ(from_database.status, 0) << from_database.err;
  EXPECT_EQ(from_database.out, from_file.out);

  const json list = json::parse(run("db list " + database + " --format json").out);
  EXPECT_EQ(list["systems"]["cudnn"]["threads"], "1");
  EXPECT_THAT(run("db list " + database).out, HasSubstr("cudnn    fp16"));
  EXPECT_EQ(run("db export " + database + " --out " + path("out")).status, 0);
  EXPECT_THAT(run("db import " + database + " " + path("out")).out, HasSubstr(": 0 new rows"));
}

TEST_F(Questions, DatabaseErrorsAreOneLine) {
  expect_error(run("db"), "subcommand");
  expect_error(run("db list " + path("none.db")), "no such database");
  expect_error(run("db list " + results_), "not a database");
  expect_error(run("db import " + path("x.db") + " " + graph_), graph_);
  EXPECT_FALSE(std::filesystem::exists(path("x.db")));
  ASSERT_EQ(run("db import " + path("x.db") + " " + results_).status, 0);
  expect_error(run("db import " + path("y.db") + " " + path("x.db")), "is a database");
  expect_error(run("db export " + path("x.db") + " --out /dev/null/out"), "/dev/null/out");
}

TEST_F(Questions, AnInterruptedImportLeavesTheDatabaseAsItWas) {
  const std::string database = path("r.db");
  ASSERT_EQ(run("db import " + database + " " + results_).status, 0);
  const std::string before = run("db list " + database).out;
  std::string rows;
  for (int i = 1; i <= 60000; ++i) {
    if (i > 1) rows += ",\n";
    rows += row("relu/" + std::to_string(i) + "/fp32/nchw/cudnn/a", "[1e-5, 2e-5, 3e-5]");
  }
  const std::string many = folder_.write("many.json", results_text(rows, "1", "cudnn")).string();
  // Killed right after it starts to write, when the rollback journal exists.
  const std::string untouched = contents(database);
  bool killed_while_writing = false;
  for (int attempt = 0; attempt < 20 && !killed_while_writing; ++attempt) {
    folder_.write("r.db", untouched);
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl(BENANZA_ANALYZE, BENANZA_ANALYZE, "db", "import", database.c_str(), many.c_str(),
              static_cast<char*>(nullptr));
      ::_exit(127);
    }
    while (::waitpid(child, nullptr, WNOHANG) == 0) {
      if (!std::filesystem::exists(database + "-journal")) continue;
      ::usleep(20000);
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      killed_while_writing = WIFSIGNALED(status);  // otherwise it finished first
      break;
    }
  }
  ASSERT_TRUE(killed_while_writing);
  EXPECT_EQ(run("db list " + database).out, before);
  EXPECT_THAT(run("db import " + database + " " + many).out, HasSubstr(": 60000 new rows"));
}

TEST_F(Questions, EveryQuestionAnswersInEveryFormat) {
  for (const std::string question : {"algorithms", "tensor-cores", "joint", "bound --layouts",
                                     "algorithms --max-workspace 1M"}) {
    for (const std::string format : {"table", "json", "csv"}) {
      const Outcome outcome = run(asked(question) + " --format " + format);
      EXPECT_EQ(outcome.status, 0) << question << outcome.err;
      EXPECT_EQ(outcome.err, "") << question;
      if (format == "json") {
        const json report = json::parse(outcome.out)["reports"][0];
        EXPECT_EQ(report["model"], "small") << question;
      } else {
        EXPECT_THAT(outcome.out, HasSubstr("small")) << question << ' ' << format;
      }
    }
  }
}

TEST_F(Questions, TensorCoresHalveEveryLayer) {
  const json report = json::parse(run(asked("tensor-cores") + " --format json").out)["reports"][0];
  const double without = report["totals"]["without_seconds"];
  EXPECT_NEAR(report["totals"]["with_seconds"].get<double>(), without / 2, 1e-12);
  EXPECT_NEAR(report["totals"]["profit_seconds"].get<double>(), without / 2, 1e-12);
  EXPECT_TRUE(report["layers"][0]["tensor_cores"].is_null());
}

TEST_F(Questions, JointHasSixteenSubsetsAndTheMeasuredLatency) {
  const std::string profile = data("small.onnxruntime.json").string();
  EXPECT_EQ(json::parse(run(asked("joint") + " --format json").out)["reports"][0]["subsets"].size(),
            16);
  const json report = json::parse(
      run(asked_of_cpu("joint") + " --profile " + profile + " --format json").out)["reports"][0];
  EXPECT_NEAR(report["measured_seconds"].get<double>(), 4.53393e-3, 1e-8);
  EXPECT_EQ(report["partial"], false);
}

TEST_F(Questions, OfProcessorsNothingIsSaidOfTensorCores) {
  const std::string page = path("cpu.html");
  for (const std::string& command :
       {asked_of_cpu("joint"), asked_of_cpu("joint") + " --tensor-cores fp16",
        asked_of_cpu("tensor-cores") + " --precision fp16",
        asked_of_cpu("report") + " --out " + page}) {
    const Outcome outcome = run(command);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("Tensor"))) << command;
  }
  EXPECT_THAT(contents(page), Not(HasSubstr("Tensor Core")));
  const auto subsets = [&](const std::string& flags) {
    const std::string text = run(asked_of_cpu("joint") + flags + " --format json").out;
    return json::parse(text)["reports"][0]["subsets"];
  };
  EXPECT_EQ(subsets("").size(), 8);
  ASSERT_EQ(subsets(" --tensor-cores fp16").size(), 16);
  EXPECT_EQ(subsets(" --tensor-cores fp16").back()["optimisations"],
            "parallel + algorithms + fusion + fp16");
  expect_error(run(asked_of_cpu("tensor-cores") + " --precision bf16"), "say another --precision");
}

TEST_F(Questions, TypingErrorsAreOneLine) {
  expect_error(run(asked("algorithms") + " --max-workspace lots"), "--max-workspace lots");
  expect_error(run(asked("tensor-cores") + " --precision fp32"), "fp32");
  expect_error(run(asked("joint") + " --tensor-cores fp32"), "fp32");
  expect_error(run(asked("joint") + " --tensor-cores fast"), "fast");
  expect_error(run(asked("bound") + " --layouts --layout nchw"), "--layout");
  expect_error(run(asked("report")), "--out");
  expect_error(run(asked("report") + " --precision fp32,fp16 --trace " + path("t.json")),
               "one --precision");
  expect_error(run(asked("tensor-cores") + " --precision bf16"), "missing");
}

TEST_F(Questions, TheReportNeedsNothingElse) {
  const Outcome outcome =
      run(asked_of_cpu("report") + " --out " + path("r.html") + " --trace " + path("t.json") +
          " --profile " + data("small.onnxruntime.json").string());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string html = contents(path("r.html"));
  EXPECT_THAT(html, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("</html>"), HasSubstr("<svg "),
                          HasSubstr("Benanza ratio"), HasSubstr("roofline")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("http")), Not(HasSubstr("src=")), Not(HasSubstr("\"nan")),
                          Not(HasSubstr(">nan")), Not(HasSubstr("inf\""))));
  EXPECT_EQ(json::parse(contents(path("t.json")))["otherData"]["title"], "small, batch 1");
}

TEST_F(Questions, AReportThatFailsWritesNothing) {
  const std::string other =
      data("../../../core/tests/data/torchvision_alexnet.graph.json").string();
  expect_error(run("report --graph " + other + " --results " + results_ + " --out " +
                   path("r.html") + " --trace " + path("t.json")),
               "missing");
  EXPECT_FALSE(std::filesystem::exists(path("r.html")));
  EXPECT_FALSE(std::filesystem::exists(path("t.json")));
}

}  // namespace
}  // namespace benanza::analysis
