// Figures that took long to make, kept in a file as they are made: a bench that was stopped goes on
// where it was.
//
// One line of JSON per figure, {"of": NAME, "is": FIGURE}; the last line of a name counts. A name
// says all that the figure depends on (program, sampler, runs, seed), so that another bench, or the
// same one with other sizes, may use the same file.
#ifndef HEDDLE_BENCH_FIGURE_STORE_H_
#define HEDDLE_BENCH_FIGURE_STORE_H_

#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace heddle::bench {

// Safe to use from several threads. Without a file it keeps nothing.
class FigureStore {
 public:
  // An empty path: no file. Lines that are no figures are passed over (the last one may be half
  // written).
  static Result<FigureStore> Open(const std::string& path);

  // The figure of that name: the kept one, or what `make` gives, which is kept then.
  nlohmann::json Get(const std::string& name, const std::function<nlohmann::json()>& make);

 private:
  struct State {
    std::mutex mutex;
    std::map<std::string, nlohmann::json> figures;
    std::ofstream file;
  };
  std::unique_ptr<State> state_ = std::make_unique<State>();
};

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_FIGURE_STORE_H_
