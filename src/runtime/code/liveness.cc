#include "runtime/code/liveness.h"

#include <algorithm>
#include <new>

#include "runtime/code/function_code.h"
#include "runtime/code/instruction.h"
#include "runtime/memory/arena.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostInstructions = 2048;
constexpr std::uint32_t kMostEdges = 3 * kMostInstructions;
constexpr std::uint32_t kMostParts = 4;      // that a function's code lies in
constexpr std::uint32_t kMostAnswers = 256;  // kept
constexpr std::uint16_t kPreserved = 1u << kRbx | 1u << kRbp | 0xf000;
constexpr std::uint32_t kWord = 8;

using Bytes = std::bitset<FrameLife::kMostBytes>;

struct Node {
  Instruction instruction;
  std::uint64_t address = 0;
  std::int32_t depth = 0;  // of the stack pointer below the frame's end, before the instruction
  std::uint32_t from = 0;  // the node that led here first
  std::uint32_t first_edge = 0;  // where it goes on
  std::uint32_t edge_count = 0;
  bool ends = false;  // the function: by return, or by a call in place of one
  // What is read from here on.
  std::uint16_t registers = 0;
  Bytes bytes;
};

// One function at a time.
class Function {
 public:
  Function() : nodes_(static_cast<Node*>(ArenaReserve(kMostInstructions * sizeof(Node)))) {}

  bool Read(std::uint64_t pc) {
    node_count_ = 0;
    edge_count_ = 0;
    part_count_ = 0;
    frame_at_ = 0;
    takes_address_ = false;
    reads_arguments_ = false;
    std::fill(slots_, slots_ + kSlots, 0);
    if (!FindFunction(pc - 1, &parts_[0])) return false;
    part_count_ = 1;
    std::uint32_t first;
    if (!Visit(parts_[0].range.begin, kWord, 0, &first)) return false;
    // Nodes are added while they are gone through.
    for (std::uint32_t i = 0; i < node_count_; ++i) {
      if (!Follow(i)) return false;
    }
    for (std::uint32_t i = 0; i < node_count_; ++i) {
      if (!LookAtFrameUse(nodes_[i])) return false;
    }
    Settle();
    return true;
  }

  void Answer(std::uint64_t pc, FrameLife* life) const {
    const std::uint32_t index = slots_[SlotOf(pc)];
    if (index == 0) return;
    const Node& node = nodes_[index - 1];
    if (node.depth < 0 || node.depth > static_cast<std::int32_t>(FrameLife::kMostBytes)) return;
    life->is_known = true;
    life->reads_arguments = reads_arguments_;
    life->registers = node.registers & kPreserved;
    life->size = static_cast<std::uint32_t>(node.depth);
    life->bytes = node.bytes;
    if (takes_address_) life->bytes.set();
  }

 private:
  static constexpr std::uint32_t kSlots = 2 * kMostInstructions;

  std::uint32_t SlotOf(std::uint64_t address) const {
    auto slot = static_cast<std::uint32_t>(address * 0x9e3779b97f4a7c15ull >> 52) % kSlots;
    while (slots_[slot] != 0 && nodes_[slots_[slot] - 1].address != address) {
      slot = (slot + 1) % kSlots;
    }
    return slot;
  }

  const FunctionCode* PartOf(std::uint64_t address) {
    for (std::uint32_t i = 0; i < part_count_; ++i) {
      if (parts_[i].range.Has(address)) return &parts_[i];
    }
    if (part_count_ == kMostParts || !FindFunction(address, &parts_[part_count_])) return nullptr;
    return &parts_[part_count_++];
  }

  // The node of the instruction there, with the stack pointer that deep.
  bool Visit(std::uint64_t address, std::int32_t depth, std::uint32_t from, std::uint32_t* index) {
    std::uint32_t& slot = slots_[SlotOf(address)];
    if (slot != 0) {
      *index = slot - 1;
      return nodes_[*index].depth == depth;
    }
    const FunctionCode* const part = PartOf(address);
    if (part == nullptr || node_count_ == kMostInstructions) return false;
    Node& node = *new (&nodes_[node_count_]) Node;
    if (!Decode(reinterpret_cast<const std::uint8_t*>(address),
                reinterpret_cast<const std::uint8_t*>(part->range.end()), &node.instruction)) {
      return false;
    }
    node.address = address;
    node.depth = depth;
    node.from = from;
    *index = node_count_++;
    slot = node_count_;
    return true;
  }

  bool Go(Node* node, std::uint64_t address, std::int32_t depth) {
    if (edge_count_ == kMostEdges) return false;
    ++node->edge_count;
    return Visit(address, depth, static_cast<std::uint32_t>(node - nodes_), &edges_[edge_count_++]);
  }

  // Where the stack pointer is behind the instruction.
  bool DepthBehind(const Node& node, std::int32_t* depth) const {
    const Instruction& done = node.instruction;
    *depth = node.depth;
    switch (done.stack) {
      case Instruction::Stack::kSame:
        return ((done.reads | done.writes) & 1u << kRsp) == 0;
      case Instruction::Stack::kMoves:
        *depth -= done.moves;
        return true;
      case Instruction::Stack::kToFrame:
        *depth = frame_at_ - done.moves;
        return frame_at_ != 0;
      case Instruction::Stack::kFromFrame:
        *depth = frame_at_ - static_cast<std::int32_t>(kWord);
        return frame_at_ != 0;
      case Instruction::Stack::kUnknown:
        return false;
    }
    return false;
  }

  bool Follow(std::uint32_t index) {
    Node& node = nodes_[index];
    const Instruction& done = node.instruction;
    node.first_edge = edge_count_;
    if (done.sets_frame) {
      if (frame_at_ != 0 && frame_at_ != node.depth) return false;
      frame_at_ = node.depth;
    }
    std::int32_t depth;
    if (!DepthBehind(node, &depth)) return false;
    const std::uint64_t behind = node.address + done.length;
    const FunctionCode* const part = PartOf(node.address);
    switch (done.flow) {
      case Instruction::Flow::kNext:
        return Go(&node, behind, depth);
      case Instruction::Flow::kJump:
        return Jump(&node, depth);
      case Instruction::Flow::kBranch:
        return Jump(&node, depth) && Go(&node, behind, depth);
      case Instruction::Flow::kCall: {
        std::uint64_t pad;
        if (!FindLandingPad(*part, behind, &pad)) return false;
        if (pad != 0 && !Go(&node, pad, depth)) return false;
        return behind == part->range.end() || NeverReturns(done.target) || Go(&node, behind, depth);
      }
      case Instruction::Flow::kReturn:
        node.ends = true;
        return depth == static_cast<std::int32_t>(kWord);
      case Instruction::Flow::kStop:
        return true;
      case Instruction::Flow::kUnknown:
        return JumpByTable(&node, depth);
    }
    return false;
  }

  // A short function without a way out, as clang writes one to end the program.
  static bool NeverReturns(std::uint64_t address) {
    constexpr std::uint64_t kShort = 64;
    FunctionCode code;
    if (address == 0 || !FindFunction(address, &code) || code.range.begin != address ||
        code.range.size > kShort) {
      return false;
    }
    const auto* const end = reinterpret_cast<const std::uint8_t*>(code.range.end());
    Instruction done;
    for (const auto* at = reinterpret_cast<const std::uint8_t*>(address); at < end;
         at += done.length) {
      if (!Decode(at, end, &done)) return false;
      const bool goes_on = done.flow == Instruction::Flow::kNext ||
                           done.flow == Instruction::Flow::kCall ||
                           done.flow == Instruction::Flow::kStop;
      if (!goes_on) return false;
    }
    return true;
  }

  // A switch: compared with the last case, above it goes elsewhere, and the table says how far from
  // itself each case is.
  bool JumpByTable(Node* node, std::int32_t depth) {
    constexpr int kMostBefore = 12;
    constexpr std::int32_t kMostCases = 256;
    std::uint64_t table = 0;
    const Node* at = node;
    for (int i = 0; i < kMostBefore && !at->instruction.is_if_above; ++i) {
      at = &nodes_[at->from];
      const Instruction& done = at->instruction;
      if (done.only_address && done.base == kNoRegister && table == 0) table = done.target;
      if (done.flow != Instruction::Flow::kNext && !done.is_if_above) return false;
    }
    if (table == 0 || !at->instruction.is_if_above) return false;
    for (int i = 0; i < kMostBefore && !at->instruction.compares; ++i) {
      at = &nodes_[at->from];
      if (at->instruction.flow != Instruction::Flow::kNext) return false;
    }
    const std::int32_t last = at->instruction.constant;
    if (!at->instruction.compares || last < 0 || last >= kMostCases) return false;
    const auto* const entries = reinterpret_cast<const std::int32_t*>(table);
    for (std::int32_t i = 0; i <= last; ++i) {
      const std::uint64_t target = table + static_cast<std::uint64_t>(std::int64_t{entries[i]});
      if (PartOf(target) == nullptr || !Go(node, target, depth)) return false;
    }
    return true;
  }

  // With its frame gone, a jump elsewhere is a call and a return.
  bool Jump(Node* node, std::int32_t depth) {
    const std::uint64_t target = node->instruction.target;
    const bool is_inside = std::any_of(parts_, parts_ + part_count_, [&](const FunctionCode& part) {
      return part.range.Has(target);
    });
    if (!is_inside && depth == static_cast<std::int32_t>(kWord)) {
      node->ends = true;
      return true;
    }
    return Go(node, target, depth);
  }

  // Where its memory operand lies below the frame's end; false: not in this frame.
  bool PlaceOf(const Node& node, std::int32_t* below) const {
    const Instruction& done = node.instruction;
    const bool is_frame = done.base == kRbp && frame_at_ != 0;
    if (!done.has_memory || (done.base != kRsp && !is_frame)) return false;
    *below = (is_frame ? frame_at_ : node.depth) - done.displacement;
    return true;
  }

  bool LookAtFrameUse(const Node& node) {
    const Instruction& done = node.instruction;
    const bool is_push = done.stack == Instruction::Stack::kMoves && done.moves < 0;
    const bool is_pop = done.stack == Instruction::Stack::kMoves && done.moves > 0;
    if (frame_at_ != 0) {
      if ((done.reads & 1u << kRbp) != 0 && !is_push) takes_address_ = true;
      if ((done.writes & 1u << kRbp) != 0 && !is_pop && !done.sets_frame) return false;
    }
    std::int32_t below;
    if (!PlaceOf(node, &below)) return true;
    if (done.only_address || done.has_index) {
      takes_address_ = true;
      return true;
    }
    // Its return address is no argument.
    if (below - static_cast<std::int32_t>(done.size) < 0) reads_arguments_ = true;
    return true;
  }

  static void Mark(Bytes* bytes, std::int32_t below, std::uint32_t size, bool is_read) {
    // The operand's bytes are those from `below - 1` down to `below - size`.
    for (std::int32_t byte = below - 1; byte >= below - static_cast<std::int32_t>(size); --byte) {
      if (byte < 0 || byte >= static_cast<std::int32_t>(FrameLife::kMostBytes)) continue;
      bytes->set(static_cast<std::size_t>(byte), is_read);
    }
  }

  void Before(const Node& node, std::uint16_t* registers, Bytes* bytes) const {
    const Instruction& done = node.instruction;
    if (node.ends) {
      *registers |= kPreserved;
      Mark(bytes, kWord, kWord, true);
    }
    // A push writes below, a pop reads what lies there.
    const bool is_pop =
        done.stack == Instruction::Stack::kMoves && done.moves > 0 && done.writes != 0;
    const bool is_push = done.stack == Instruction::Stack::kMoves && done.moves == -8;
    *registers &= static_cast<std::uint16_t>(~done.writes);
    if (is_push) Mark(bytes, node.depth + static_cast<std::int32_t>(kWord), kWord, false);
    *registers |= done.reads | done.address_reads;
    if (is_pop) Mark(bytes, node.depth, kWord, true);
    if (done.stack == Instruction::Stack::kFromFrame) {
      Mark(bytes, frame_at_, kWord, true);
      *registers |= 1u << kRbp;
    }
    if (done.stack == Instruction::Stack::kToFrame) *registers |= 1u << kRbp;
    std::int32_t below;
    if (!PlaceOf(node, &below)) return;
    Mark(bytes, below, done.size, !done.only_writes);
  }

  // Until nothing changes.
  void Settle() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (std::uint32_t i = node_count_; i-- > 0;) {
        Node& node = nodes_[i];
        std::uint16_t registers = 0;
        Bytes bytes;
        for (std::uint32_t edge = 0; edge < node.edge_count; ++edge) {
          const Node& next = nodes_[edges_[node.first_edge + edge]];
          registers |= next.registers;
          bytes |= next.bytes;
        }
        Before(node, &registers, &bytes);
        if (registers == node.registers && bytes == node.bytes) continue;
        node.registers = registers;
        node.bytes = bytes;
        has_changed = true;
      }
    }
  }

  Node* const nodes_;  // in memory that costs nothing before it is used
  std::uint32_t node_count_ = 0;
  std::uint32_t edges_[kMostEdges];  // nodes
  std::uint32_t edge_count_ = 0;
  std::uint32_t slots_[kSlots];  // of nodes by address, plus 1; 0: none
  FunctionCode parts_[kMostParts];
  std::uint32_t part_count_ = 0;
  std::int32_t frame_at_ = 0;  // where rbp points, below the frame's end; 0: it is no frame pointer
  bool takes_address_ = false;
  bool reads_arguments_ = false;
};

struct Known {
  std::uint64_t pc;
  FrameLife life;
};

Known* known = nullptr;
std::uint32_t known_count = 0;
Function* function = nullptr;

}  // namespace

const FrameLife& LifeBehind(std::uint64_t pc) {
  static const FrameLife unknown;
  Known* const found =
      std::find_if(known, known + known_count, [&](const Known& each) { return each.pc == pc; });
  if (found != known + known_count) return found->life;
  if (known_count == kMostAnswers) return unknown;
  if (function == nullptr) {
    function = new (ArenaReserve(sizeof(Function))) Function;
    known = static_cast<Known*>(ArenaReserve(kMostAnswers * sizeof(Known)));
  }
  Known* const answer = new (&known[known_count++]) Known{.pc = pc, .life = {}};
  if (function->Read(pc)) function->Answer(pc, &answer->life);
  return answer->life;
}

}  // namespace heddle
