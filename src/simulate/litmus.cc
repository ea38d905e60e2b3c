#include "simulate/litmus.h"

#include <utility>

namespace heddle::simulate {
namespace {

constexpr Object kX = 0, kY = 1, kZ = 2;

// Where every pair of conflicting accesses to a variable may be in either order, a class is a
// choice of these orders, and only those that make a circle with the order of the threads drop out.
Litmus Named(const char* name, std::vector<std::vector<Step>> threads, std::uint64_t classes,
             std::uint64_t stuck = 0, std::vector<std::int64_t> initial = {}) {
  Litmus litmus;
  litmus.program.name = name;
  litmus.program.threads = std::move(threads);
  litmus.program.initial = std::move(initial);
  litmus.classes = classes;
  litmus.stuck = stuck;
  return litmus;
}

Step Store(Object object, std::int64_t value = 1) { return Write(object, Const(value)); }

std::uint64_t Factorial(int n) {
  return n < 2 ? 1 : static_cast<std::uint64_t>(n) * Factorial(n - 1);
}

// n threads that each do `step`, which commutes with nothing: every order is a class.
Litmus InAnyOrder(const char* name, const Step& step, int n) {
  return Named(name, std::vector<std::vector<Step>>(static_cast<std::size_t>(n), {step}),
               Factorial(n));
}

// Thread j stores array[j - 1] + 1 to array[j]; one more looks for the last zero, from the end.
// Each of the n - 1 elements between is loaded before or behind its store. Where the search ends at
// element k, which it finds before its store, with 0 < k < n, thread k + 1 must have loaded it by
// then; where it ends at n or at 0 nothing is settled: (n - 1) 2^(n - 2) + 2 2^(n - 1).
Litmus LastZero(const char* name, int n) {
  std::vector<std::vector<Step>> threads;
  std::vector<Step> looks;
  for (int i = n; i >= 0; --i) {
    looks.push_back(Read(static_cast<Object>(i)).Unless(Is::kNotEqual, 0, i));
  }
  threads.push_back(std::move(looks));
  for (int j = 1; j <= n; ++j) {
    threads.push_back({Read(static_cast<Object>(j - 1)).Into(0),
                       Write(static_cast<Object>(j), {.constant = 1, .first = 0})});
  }
  return Named(name, std::move(threads), static_cast<std::uint64_t>(n + 3) << (n - 2));
}

// Whoever gets the lock at once adds; the other one goes without.
std::vector<Step> Tries(Object mutex) {
  return {TryLock(mutex).Unless(Is::kEqual, 1, 2), Add(kX, Const(1)), Unlock(mutex)};
}

std::vector<Step> WaitsOnce(Object mutex, Object condition) {
  return {Lock(mutex), Wait(condition, mutex), Unlock(mutex)};
}

// Puts n times into a buffer of which `free` slots are counted, and takes as often.
Litmus ProducerAndConsumer(const char* name, int n, int slots, std::uint64_t classes) {
  constexpr Object kFree = 1, kFull = 2;
  std::vector<Step> puts, takes;
  for (int i = 0; i < n; ++i) {
    for (const Step& step : {SemWait(kFree), SemPost(kFull)}) puts.push_back(step);
    for (const Step& step : {SemWait(kFull), SemPost(kFree)}) takes.push_back(step);
  }
  return Named(name, {puts, takes}, classes, 0, {0, slots, 0});
}

}  // namespace

std::vector<Litmus> LitmusTests() {
  std::vector<Litmus> all;
  const auto add = [&all](Litmus litmus) { all.push_back(std::move(litmus)); };
  // Two variables with two orders each, one of the four a circle.
  add(Named("message-passing", {{Store(kX), Store(kY)}, {Read(kY), Read(kX)}}, 3));
  add(Named("load-buffering", {{Read(kX), Store(kY)}, {Read(kY), Store(kX)}}, 3));
  add(Named("2+2W", {{Store(kX), Store(kY, 2)}, {Store(kY), Store(kX, 2)}}, 3));
  add(Named("R", {{Store(kX), Store(kY)}, {Store(kY, 2), Read(kX)}}, 3));
  add(Named("S", {{Store(kX, 2), Store(kY)}, {Read(kY), Store(kX)}}, 3));
  // Three variables: 8, one a circle; a store against two loads of x (4) and y (2): likewise.
  add(Named("ISA2", {{Store(kX), Store(kY)}, {Read(kY), Store(kZ)}, {Read(kZ), Read(kX)}}, 7));
  add(Named("WRC", {{Store(kX)}, {Read(kX), Store(kY)}, {Read(kY), Read(kX)}}, 7));
  // Each store is before or behind each of two loads: 16, one a circle.
  add(Named("IRIW", {{Store(kX)}, {Store(kY)}, {Read(kX), Read(kY)}, {Read(kY), Read(kX)}}, 15));
  // Three places for a store among two loads of one thread; two stores of two threads besides: 3
  // places for each, and where they are in the same place (3) two orders; in different ones one.
  add(Named("CoRR", {{Store(kX)}, {Read(kX), Read(kX)}}, 3));
  add(Named("CoRR2", {{Store(kX)}, {Store(kX, 2)}, {Read(kX), Read(kX)}}, 12));
  add(InAnyOrder("writers-4", Store(kX), 4));
  add(InAnyOrder("fetch-add-4", Add(kX, Const(1)), 4));
  add(LastZero("last-zero-3", 3));
  add(LastZero("last-zero-4", 4));
  // The loads of the counter have three places each, the second not before the first: 6. The load
  // of the data is settled where both come first or both last, and free in the other four: 2 + 8.
  add(Named("seqlock", {{Store(kX, 1), Store(kY, 1), Store(kX, 2)}, {Read(kX), Read(kY), Read(kX)}},
            10));
  // From here on the numbers come from a brute force that was written apart from everything here.
  // Both threads announce themselves, give way, and look.
  add(Named("peterson",
            {{Store(kX), Store(kZ, 1), Read(kY).Unless(Is::kEqual, 1, 1), Read(kZ)},
             {Store(kY), Store(kZ, 0), Read(kX).Unless(Is::kEqual, 1, 1), Read(kZ)}},
            6));
  add(Named("try-locks-2", {Tries(1), Tries(1)}, 4));
  add(Named("try-locks-3", {Tries(1), Tries(1), Tries(1)}, 21));
  // With one slot everything is forced.
  add(ProducerAndConsumer("one-slot", 3, 1, 1));
  add(ProducerAndConsumer("two-slots", 3, 2, 9));
  add(Named("signal-one-of-two",
            {WaitsOnce(1, 2), WaitsOnce(1, 2), {Lock(1), Signal(2), Unlock(1)}}, 10, 10));
  add(Named("signal-all", {WaitsOnce(1, 2), WaitsOnce(1, 2), {Lock(1), Broadcast(2), Unlock(1)}},
            10, 6));
  return all;
}

}  // namespace heddle::simulate
