// What is read out of a stream of C++ is an access of its caller; what a call does not come to is
// none. Two threads that read from one stream into memory race, too. Each case has a twin that is
// right.
// RUN: heddle run --runs=30 -- int
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- int joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- double
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- failed
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- ended
// EXPECT: clean
// RUN: heddle run --runs=30 -- word
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- word joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- word_ended
// EXPECT: clean
// RUN: heddle run --runs=30 -- line
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- line joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- until
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- in_place
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- in_place joined
// EXPECT: clean
// RUN: heddle run --runs=30 -- array
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- array beside
// EXPECT: clean
// RUN: heddle run --runs=30 -- stream
// EXPECT: kind=race
// RUN: heddle run --runs=30 -- stream joined
// EXPECT: clean
// RUN: heddle run --strategy=optimal-dpor --keep-going -- orders 1ab
// EXPECT: kinds=assertion+race+race, complete, any-schedule
// RUN: heddle run --strategy=optimal-dpor --keep-going -- orders 1__
// EXPECT: kinds=assertion+race+race, complete
// RUN: heddle run --strategy=optimal-dpor --keep-going -- orders 0ab
// EXPECT: kinds=race+race, complete, any-schedule
// RUN: heddle run --runs=30 -- values
// EXPECT: clean
#include <cassert>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>

namespace {

int number = 0;
double real = 0;
std::string word;
std::string longer(40, '-');
const char* inside = longer.data();
char array[8] = "-------";
std::size_t at = 3;
std::istringstream shared("1 2 3 4");
char got;

bool IsOf(const std::string& call, const char* one, const char* other) {
  return call == one || call == other;
}

// With a zero, the array has four characters of it.
void Use(const std::string& call) {
  std::istringstream from("12 34");
  if (call == "int") assert(from >> number);
  if (call == "double") assert(from >> real);
  if (call == "failed") assert(!(std::istringstream("x") >> number));
  if (call == "ended") assert(!(std::istringstream("") >> number));
  if (call == "word") assert(from >> word);
  if (call == "word_ended") assert(!(std::istringstream(" ") >> word));
  if (call == "line") assert(std::getline(from, word));
  if (call == "until") assert(std::getline(from, word, '3'));
  if (call == "in_place") assert(std::getline(from, longer));
  if (call == "array") assert(std::istringstream("abc\nd").getline(array, sizeof array));
  if (call == "stream") {
    int here;
    assert(shared >> here);
  }
}

void Change(const std::string& call) {
  if (call == "double") {
    real = 2;
  } else if (IsOf(call, "word", "word_ended") || IsOf(call, "line", "until")) {
    word = "own";
  } else if (call == "in_place") {
    got = inside[2];
  } else if (call == "array") {
    array[at] = 'X';
  } else if (call == "stream") {
    assert(shared.get(got));
  } else {
    number = 5;
  }
}

void Orders(const std::string& never) {
  word = "__";
  std::string seen;
  std::thread other([&] {
    const std::string text = word;
    const int one = number;
    seen = std::to_string(one) + text;
  });
  std::istringstream("1 ab") >> number >> word;
  other.join();
  assert(seen != never);
}

void Values() {
  std::thread other([] {});
  bool is_one = false;
  short two = 0;
  unsigned short three = 0;
  unsigned four = 0;
  long five = 0;
  unsigned long long six = 0;
  float seven = 0;
  long double eight = 0;
  char nine = 0;
  std::istringstream from("1 2 3 4 -5 6 7.5 8.5 9 " + std::string(300, 'a') + " b\nline\n\nend");
  from >> is_one >> two >> three >> four >> five >> six >> seven >> eight >> nine;
  assert(is_one && two == 2 && three == 3 && four == 4 && five == -5 && six == 6);
  assert(seven == 7.5F && eight == 8.5L && nine == '9');
  std::string text;
  assert(from >> text && text == std::string(300, 'a'));
  assert(from >> text && text == "b");
  assert(std::getline(from, text) && text.empty());
  assert(std::getline(from, text) && text == "line");
  assert(std::getline(from, text) && text.empty());
  assert(std::getline(from, text) && text == "end" && from.eof());
  assert(!std::getline(from, text));
  from = std::istringstream("99999 x");
  assert(!(from >> two) && two == 32767);
  from.clear();
  from.exceptions(std::ios::failbit);
  number = 7;
  try {
    from >> number;
    assert(false);
  } catch (const std::ios::failure&) {
    assert(number == 0);
  }
  other.join();
}

}  // namespace

int main(int count, char** arguments) {
  assert(count > 1);
  const std::string call = arguments[1];
  const std::string how = count > 2 ? arguments[2] : "";
  if (call == "orders") return Orders(arguments[2]), 0;
  if (call == "values") return Values(), 0;
  if (how == "beside") at = 4;
  std::thread other(Change, call);
  if (how == "joined") other.join();
  Use(call);
  if (how != "joined") other.join();
}
