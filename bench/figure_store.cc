#include "figure_store.h"

namespace heddle::bench {

Result<FigureStore> FigureStore::Open(const std::string& path) {
  FigureStore store;
  if (path.empty()) return store;
  bool whole_line = true;
  {
    std::ifstream old(path);
    for (std::string line; std::getline(old, line);) {
      whole_line = !old.eof();
      const nlohmann::json figure = nlohmann::json::parse(line, nullptr, false);
      if (!figure.is_object() || !figure.contains("is") || !figure.contains("of")) continue;
      if (figure["of"].is_string()) store.state_->figures[figure["of"]] = figure["is"];
    }
  }
  store.state_->file.open(path, std::ios::app);
  if (!store.state_->file) return Error{"cannot write " + path + ": name a file that can be"};
  if (!whole_line) store.state_->file << '\n';
  return store;
}

nlohmann::json FigureStore::Get(const std::string& name,
                                const std::function<nlohmann::json()>& make) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto known = state_->figures.find(name);
    if (known != state_->figures.end()) return known->second;
  }
  nlohmann::json figure = make();
  const std::lock_guard lock(state_->mutex);
  state_->figures[name] = figure;
  if (state_->file.is_open()) {
    state_->file << nlohmann::json{{"of", name}, {"is", figure}}.dump() << std::endl;
  }
  return figure;
}

}  // namespace heddle::bench
