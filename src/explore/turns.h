// How many runs may be under way at a time: as many as there are workers, unless every run is at an
// address of the program's own choice (a port, a name), where there is room for one. The first run
// is made alone, to see.
//
// Not thread-safe; the run loop calls it under its lock.
#ifndef HEDDLE_EXPLORE_TURNS_H_
#define HEDDLE_EXPLORE_TURNS_H_

namespace heddle {

class Turns {
 public:
  explicit Turns(int workers) : workers_(workers) {}

  bool MayBegin() const { return under_way_ < most_; }
  // Whether nobody else will begin before it ends.
  bool Begin() {
    ++under_way_;
    return most_ == 1;
  }
  void End() { --under_way_; }
  bool nobody() const { return under_way_ == 0; }

  // A run has shown what there is to see.
  void Seen() { most_ = one_at_a_time_ ? 1 : workers_; }
  void OneAtATime() {
    one_at_a_time_ = true;
    most_ = 1;
  }
  bool one_at_a_time() const { return one_at_a_time_; }

 private:
  const int workers_;
  int most_ = 1;
  int under_way_ = 0;
  bool one_at_a_time_ = false;
};

}  // namespace heddle

#endif  // HEDDLE_EXPLORE_TURNS_H_
