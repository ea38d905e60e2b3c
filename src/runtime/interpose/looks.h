// What a call that asks about several descriptors touches (poll, select): nothing but the channels
// that they lead to, if all of them are the program's own (interpose/ports.h). Then it is a look,
// which commutes with other looks and with what is done to other channels.
#ifndef HEDDLE_RUNTIME_INTERPOSE_LOOKS_H_
#define HEDDLE_RUNTIME_INTERPOSE_LOOKS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/interpose/io_wait.h"

namespace heddle {

class Look {
 public:
  // One of the descriptors, and what is asked as poll has it. All of them before the others.
  void Add(int descriptor, short events);

  // Sets what is waited for, and how it is noted.
  void Describe(IoWait* wait) const;
  // The descriptor was found to be so: what the thread now knows others to have done.
  static void Found(Scheduler* scheduler, int descriptor, short events, short found);

 private:
  struct Part {
    Object* channel;
    std::uint8_t asked;  // channel_use::kReadable, kWritable
  };
  void Ask(Object* channel, std::uint8_t what);

  static constexpr std::size_t kMostParts = 64;
  std::array<Part, kMostParts> parts_;
  std::size_t count_ = 0;
  bool is_own_ = true;
};

// The object that stands for these channels, in that order; what is asked of the first, and what is
// done to it (trace/channel_use.h).
Object* ChannelList(Object* first, std::uint8_t asked, Object* rest);
// A channel, or a list of them, and one more behind. All that was
// noted is about a channel that was alone.
Object* ChannelsAnd(Object* channels, Object* other, std::uint8_t role);
// Calls `visit` for each and what is asked of it; of any other object, not at all.
template <typename Visit>
void ForEachInList(const Object* list, const Visit& visit) {
  while (list != nullptr && list->kind == ObjectKind::kChannels) {
    visit(Objects::ById(static_cast<ObjectId>(list->allocation_site)), list->noted);
    list = list->offset == kNoObject ? nullptr : Objects::ById(list->offset);
  }
}

// The same list, each member in the role that it is given, with `rest` behind.
template <typename RoleOf>
Object* WithRoles(Object* list, const RoleOf& role_of, Object* rest) {
  constexpr std::size_t kMost = 128;
  std::array<Object*, kMost> members;
  std::array<std::uint8_t, kMost> roles;
  std::size_t count = 0;
  ForEachInList(list, [&](Object* each, std::uint8_t role) {
    if (count == members.size()) return;
    members[count] = each;
    roles[count++] = role_of(each, role);
  });
  while (count-- > 0) rest = ChannelList(members[count], roles[count], rest);
  return rest;
}

// Calls `visit` for the channel, or for each that is in the list; of any other object, not at all.
template <typename Visit>
void ForEachChannel(Object* channels, const Visit& visit) {
  if (channels != nullptr && channels->kind == ObjectKind::kChannel) return visit(channels);
  ForEachInList(channels, [&](Object* each, std::uint8_t) { visit(each); });
}

// Whether it is that, or in the list.
bool HasChannel(const Object* channels, const Object* channel);

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_INTERPOSE_LOOKS_H_
