#include "runtime/interpose/places.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "runtime/engine.h"

namespace heddle {
namespace {

struct Place {
  Address address;
  Inode first = {};  // that was bound there
  std::uint64_t key = 0;
  bool is_shared = false;
};
std::vector<Place>* places = nullptr;

Place* Find(const Address& address) {
  if (places == nullptr) return nullptr;
  const auto at = std::find_if(places->begin(), places->end(),
                               [&](const Place& place) { return IsSame(place.address, address); });
  return at == places->end() ? nullptr : &*at;
}

}  // namespace

void Places::NoteBound(int descriptor, bool is_left_to_system) {
  constexpr std::uint64_t kPlace = 0x6563616c70;
  const EngineScope scope;
  Place place = {.address = LocalOf(descriptor)};
  if (!place.address.IsSomewhere() || !InodeOf(descriptor, &place.first)) return;
  if (Place* const known = Find(place.address); known != nullptr) {
    known->is_shared = known->is_shared || !(known->first == place.first);
    return;
  }
  const std::uint64_t socket = is_left_to_system ? PortKeyOf(descriptor) : 0;
  place.key = socket != 0 ? Mix(kPlace, socket) : place.address.Hash();
  if (places == nullptr) places = new std::vector<Place>();
  places->push_back(place);
}

Object* Places::At(const Address& address) {
  const Place* const known = Find(address);
  return known == nullptr ? nullptr : Objects::Named(ObjectKind::kChannel, known->key);
}

Object* Places::ToBeAt(const Address& address) {
  if (Object* const known = At(address); known != nullptr) return known;
  if (!address.IsSomewhere()) return nullptr;
  return Objects::Named(ObjectKind::kChannel, address.Hash());
}

bool Places::IsOthers(const Address& address, const Inode& socket) {
  const Place* const known = Find(address);
  return known != nullptr && (known->is_shared || !(known->first == socket));
}

void ForgetPlaces() {
  if (places != nullptr) places->clear();
}

}  // namespace heddle
