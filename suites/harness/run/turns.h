#pragma once

namespace benanza::harness {

/// Turns with another process: one measures while the other waits, so that both meet the machine in
/// the same state. Who starts them hands out the turns: a byte on descriptor 3 begins one, a byte
/// on descriptor 4 ends it (--turns, used by benanza-regress).
class Turns {
 public:
  explicit Turns(bool wanted);

  /// Waits for a turn; returns at once without --turns. Interrupts the run where nobody hands them
  /// out any more.
  void begin();
  void end();

 private:
  bool wanted_;
};

/// One turn, for as long as it lives.
class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) { turns_.begin(); }
  ~Turn() { turns_.end(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

}  // namespace benanza::harness
