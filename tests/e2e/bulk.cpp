// bulk SHAPE: memory that is accessed in bulk, in different sizes, and freed.
//
// Every shape is small enough for dfs, which knows nothing of what depends on what.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Fields {
  long a = 0, b = 0, c = 0;
};
struct Halves {
  alignas(8) int low = 0;
  int high = 0;
};

using Body = std::function<void()>;

void Together(std::vector<Body> bodies) {
  std::vector<std::thread> threads;
  for (Body& body : bodies) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

void Use(const auto& value) { asm volatile("" : : "m"(value) : "memory"); }

Fields fields, other_fields;
Halves halves;
// The sites have to be known as points; the races on them are not what is looked at.
alignas(8) char bytes[32];

// Two threads write a field each, which a third copies.
void Copy() {
  Together({[] { fields.a = 1; }, [] { fields.c = 1; },
            [] {
              const Fields copy = fields;
              Use(copy);
            }});
}
// Two copies commute; the writer of a field with neither.
void TwoCopies() {
  const auto copy = [] {
    const Fields copied = fields;
    Use(copied);
  };
  Together({copy, copy, [] { fields.b = 1; }});
}
// Written in bulk against single reads of two threads.
void Clear() {
  Together({[] { std::memset(&fields, 0, sizeof fields); }, [] { Use(long{fields.a}); },
            [] { Use(long{fields.c}); }});
}
// Both bulk, overlapping in one field only.
void Overlap() {
  Together({[] { std::memcpy(&fields.a, &other_fields.a, 2 * sizeof(long)); },
            [] { std::memcpy(&fields.b, &other_fields.b, 2 * sizeof(long)); },
            [] { fields.c = 2; }});
}
// Halves of a granule, then the whole, then a half again.
void HalvesAndWhole() {
  Together({[] { halves.low = 1; }, [] { halves.high = 1; },
            [] {
              long whole;
              std::memcpy(&whole, &halves, sizeof whole);
              Use(whole);
              Use(int{halves.high});
            }});
}
// The same the other way round: the whole is written, by two.
void WholeOfHalves() {
  const auto write = [] { std::memset(&halves, 1, sizeof halves); };
  Together({write, write, [] { Use(int{halves.low}); }});
}
// Across the border of two granules.
void Straddle() {
  Together({[] { std::memcpy(bytes + 6, "abcd", 4); }, [] { bytes[5] = 1; },
            [] { Use(char{bytes[9]}); }});
}
// The last user frees: who that is makes a difference, and nothing else does.
void SharedPointer() {
  auto shared = std::make_shared<Fields>();
  std::weak_ptr<Fields> weak = shared;
  Together({[mine = shared] { mine->a = 1; }, [mine = std::move(shared)] { mine->b = 1; }});
}
// Freed by one, made by another, in the same place or not.
void Handover() {
  static std::atomic<Fields*> box;
  box = new Fields;
  Together({[] { box.load()->a = 1; }, [] { box.load()->b = 1; }});
  delete box.exchange(nullptr);
  box = new Fields;
  Together({[] { box.load()->a = 1; }, [] { box.load()->c = 1; }});
  delete box.load();
}
void Futures() {
  std::future<int> one = std::async(std::launch::async, [] { return 1; });
  std::future<int> two = std::async(std::launch::async, [] { return 2; });
  if (one.get() + two.get() != 3) std::abort();
}

const std::map<std::string, Body>& Shapes() {
  static const std::map<std::string, Body> shapes = {
      {"copy", Copy},         {"two-copies", TwoCopies}, {"clear", Clear},
      {"overlap", Overlap},   {"whole", WholeOfHalves},  {"halves", HalvesAndWhole},
      {"straddle", Straddle}, {"shared", SharedPointer}, {"handover", Handover},
      {"futures", Futures},
  };
  return shapes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& [name, body] : Shapes()) std::puts(name.c_str());
    return 0;
  }
  Shapes().at(argv[1])();
}
