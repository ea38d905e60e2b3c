// A measured figure: the minimum, which noise can only raise, and the median, which tells the
// noise.
#ifndef HEDDLE_BENCH_CORE_FIGURE_H_
#define HEDDLE_BENCH_CORE_FIGURE_H_

#include <algorithm>
#include <vector>

namespace heddle::bench {

struct Figure {
  double minimum = 0;
  double median = 0;
};

inline Figure FigureOf(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {samples.front(), samples[samples.size() / 2]};
}

// Of the same thing measured again: the least minimum, the middle median.
inline Figure Merge(const std::vector<Figure>& figures) {
  std::vector<double> minima;
  std::vector<double> medians;
  for (const Figure& figure : figures) {
    minima.push_back(figure.minimum);
    medians.push_back(figure.median);
  }
  return {FigureOf(minima).minimum, FigureOf(medians).median};
}

}  // namespace heddle::bench

#endif  // HEDDLE_BENCH_CORE_FIGURE_H_
