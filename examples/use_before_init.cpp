// Use before initialisation: the worker is started before what it uses is there.
#include <memory>
#include <string>
#include <thread>

struct Service {
  std::unique_ptr<std::string> name;
  std::thread worker;
  std::size_t length = 0;

  void Start() {
    worker = std::thread([this] { length = name->size(); });
    name = std::make_unique<std::string>("a service with a name");
  }
};

int main() {
  Service service;
  service.Start();
  service.worker.join();
}
