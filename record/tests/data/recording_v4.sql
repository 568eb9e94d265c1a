BEGIN TRANSACTION;
CREATE TABLE call(
  sequence INTEGER PRIMARY KEY,
  text INTEGER NOT NULL REFERENCES call_text(id),
  process INTEGER,
  thread INTEGER,
  start_seconds REAL,
  arrival_seconds REAL,
  milliseconds REAL);
INSERT INTO "call" VALUES(1,1,2198,2198,1.79527734438285899165e+09,NULL,NULL);
INSERT INTO "call" VALUES(2,2,21,NULL,NULL,NULL,NULL);
INSERT INTO "call" VALUES(3,3,NULL,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(4,4,2198,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(5,5,2198,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(6,1,2198,2198,1.79527734438285899165e+09,NULL,NULL);
INSERT INTO "call" VALUES(7,2,21,NULL,NULL,NULL,NULL);
INSERT INTO "call" VALUES(8,3,NULL,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(9,4,2198,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(10,5,2198,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(11,1,2198,2198,1.79527734438285899165e+09,NULL,NULL);
INSERT INTO "call" VALUES(12,2,21,NULL,NULL,NULL,NULL);
INSERT INTO "call" VALUES(13,3,NULL,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(14,4,2198,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(15,5,2198,2198,NULL,NULL,NULL);
INSERT INTO "call" VALUES(16,6,21,NULL,NULL,NULL,NULL);
INSERT INTO "call" VALUES(17,7,2198,2198,NULL,NULL,NULL);
CREATE TABLE call_text(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  engine TEXT NOT NULL,
  kind TEXT NOT NULL,
  implementation TEXT NOT NULL,
  prop_kind TEXT NOT NULL,
  memory TEXT NOT NULL,
  attributes TEXT NOT NULL,
  auxiliary TEXT NOT NULL,
  problem TEXT NOT NULL,
  UNIQUE(source, engine, kind, implementation, prop_kind, memory, attributes, auxiliary, problem));
INSERT INTO "call_text" VALUES(1,'cudnn','gpu','cudnnBackendExecute','engine 28 TILE_SIZE=4 USE_TEX=0','','fp16 nhwc','','','conv/1x32x56x56_k64x3x3_p1.1.1.1_s2x2_d1x1_g2');
INSERT INTO "call_text" VALUES(2,'cublas','gpu','cublasSgemm_v2','','','fp32','','','gemm/m8_n1000_k2048_nt');
INSERT INTO "call_text" VALUES(3,'cublaslt','gpu','cublasLtMatmul','algorithm 13','','fp32','','','gemm/m1_n1000_k2048_nt_bias');
INSERT INTO "call_text" VALUES(4,'cudnn','gpu','cudnnBackendExecute','engine 4','','fp16','','MATMUL POINTWISE','');
INSERT INTO "call_text" VALUES(5,'cudnn','gpu','cudnnPoolingForward','','','fp16 nhwc','','','');
INSERT INTO "call_text" VALUES(6,'cublas','gpu','cublasGemmBatchedEx','','','','','','');
INSERT INTO "call_text" VALUES(7,'cudnn','gpu','cudnnConvolutionForward','fft','','fp32 nchw','','','conv/1x3x8x8_k4x3x3_p0.0.0.0_s1x1_d1x1_g1');
CREATE TABLE counter(
  name TEXT NOT NULL,
  expression TEXT NOT NULL,
  value REAL,
  running_part REAL);
CREATE TABLE library(
  source TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE(source, text));
CREATE TABLE run(
  command TEXT NOT NULL,
  start_seconds REAL,
  seconds REAL,
  exit_status INTEGER,
  machine TEXT NOT NULL);
INSERT INTO "run" VALUES('["program"]',NULL,1.0,0,'a machine');
CREATE VIEW calls AS
  SELECT sequence, start_seconds, arrival_seconds, process, thread, source, engine, kind, implementation,
         prop_kind, memory, attributes, auxiliary, problem, milliseconds
  FROM call JOIN call_text ON call.text = call_text.id ORDER BY sequence;
COMMIT;
PRAGMA user_version = 4;
