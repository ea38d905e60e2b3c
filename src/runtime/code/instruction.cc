#include "runtime/code/instruction.h"

#include <cstring>

namespace heddle {
namespace {

// Of operands whose size is not worth knowing: no vector is larger.
constexpr std::uint32_t kAnySize = 64;
constexpr std::uint32_t kFloatingState = 1024;  // fxsave and the like

constexpr std::uint16_t Bit(unsigned number) { return static_cast<std::uint16_t>(1u << number); }

class Decoder {
 public:
  Decoder(const std::uint8_t* code, const std::uint8_t* end, Instruction* instruction)
      : begin_(code), at_(code), end_(end), out_(*instruction) {}

  bool Decode() {
    out_ = Instruction();
    bool is_known = Prefixes();
    is_known = is_known && (vex_map_ != 0 ? Vex() : OneByte());
    if (!is_known || overran_) return false;
    out_.length = static_cast<std::uint8_t>(at_ - begin_);
    if (is_relative_) out_.target = reinterpret_cast<std::uint64_t>(at_) + relative_;
    out_.is_if_above = out_.flow == Instruction::Flow::kBranch && opcode_ == 0x77;
    return true;
  }

 private:
  std::uint8_t Byte() {
    if (at_ >= end_) {
      overran_ = true;
      return 0;
    }
    return *at_++;
  }
  std::int32_t Word() {
    std::int32_t value = 0;
    if (end_ - at_ < 4) {
      overran_ = true;
      return 0;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  void Skip(std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) Byte();
  }

  // rex.w, 66 and nothing.
  std::uint32_t OperandSize() const { return is_wide_ ? 8 : is_short_ ? 2 : 4; }
  std::uint32_t ImmediateSize() const { return is_short_ && !is_wide_ ? 2 : 4; }

  bool Prefixes() {
    for (;;) {
      opcode_ = Byte();
      if (overran_) return false;
      if (opcode_ == 0x66) {
        is_short_ = true;
      } else if (opcode_ == 0xf2 || opcode_ == 0xf3) {
        repeat_ = opcode_;
      } else if (opcode_ == 0x64 || opcode_ == 0x65) {
        is_elsewhere_ = true;  // thread-locals
      } else if (opcode_ != 0xf0 && opcode_ != 0x2e && opcode_ != 0x3e) {
        break;
      }
    }
    if ((opcode_ & 0xf0) == 0x40) {
      rex_ = opcode_;
      is_wide_ = (rex_ & 8) != 0;
      opcode_ = Byte();
    } else if (opcode_ == 0xc5) {
      const std::uint8_t one = Byte();
      rex_ = (one & 0x80) != 0 ? 0 : 4;
      third_ = (~one >> 3) & 15;
      vex_map_ = 1;
      opcode_ = Byte();
    } else if (opcode_ == 0xc4) {
      const std::uint8_t one = Byte();
      const std::uint8_t two = Byte();
      rex_ = (~one >> 5) & 7;
      third_ = (~two >> 3) & 15;
      is_wide_ = (two & 0x80) != 0;
      vex_map_ = one & 31;
      opcode_ = Byte();
    }
    return true;
  }

  // The byte that names a register and another one or memory.
  void Operands() {
    const std::uint8_t byte = Byte();
    mode_ = byte >> 6;
    digit_ = (byte >> 3) & 7;
    reg_ = digit_ | ((rex_ & 4) << 1);
    rm_ = byte & 7;
    if (mode_ == 3) {
      rm_ |= (rex_ & 1) << 3;
      return;
    }
    out_.has_memory = true;
    std::uint8_t base = rm_;
    bool has_base = true;
    if (rm_ == 4) {
      const std::uint8_t scaled = Byte();
      const unsigned index = ((scaled >> 3) & 7) | ((rex_ & 2) << 2);
      base = scaled & 7;
      out_.has_index = index != kRsp;
      if (out_.has_index) out_.address_reads |= Bit(index);
      if (base == 5 && mode_ == 0) has_base = false;
    } else if (rm_ == 5 && mode_ == 0) {
      has_base = false;
      is_near_ = true;  // relative to the instruction
    }
    if (mode_ == 1) {
      out_.displacement = static_cast<std::int8_t>(Byte());
    } else if (mode_ == 2 || !has_base) {
      out_.displacement = Word();
    }
    if (!has_base) return;
    base |= (rex_ & 1) << 3;
    out_.address_reads |= Bit(base);
    if (!is_elsewhere_) out_.base = base;
  }

  bool is_register() const { return mode_ == 3; }
  void ReadsReg() { out_.reads |= Bit(reg_); }
  // A register, or that many bytes of memory.
  void ReadsOperand(std::uint32_t size) {
    if (is_register()) {
      out_.reads |= Bit(rm_);
    } else {
      out_.size = size;
    }
  }
  void Overwrites(unsigned number) {
    if (OperandSize() == 2) {
      out_.reads |= Bit(number);
    } else {
      out_.writes |= Bit(number);
    }
  }
  void Stores(std::uint32_t size) {
    out_.size = size;
    out_.only_writes = true;
  }

  bool Relative(Instruction::Flow flow, bool is_byte) {
    relative_ = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(is_byte ? static_cast<std::int8_t>(Byte()) : Word()));
    is_relative_ = true;
    out_.flow = flow;
    return true;
  }

  bool Moves(std::int32_t bytes) {
    out_.stack = Instruction::Stack::kMoves;
    out_.moves = bytes;
    return true;
  }

  // add, or, and, sub, xor, cmp and the like, by their two operands.
  bool Arithmetic() {
    const unsigned form = opcode_ & 7;
    if (form >= 6) return false;
    if (form >= 4) {
      Skip(form == 4 ? 1 : ImmediateSize());
      return true;
    }
    Operands();
    const bool is_zeroing =
        (opcode_ & ~3u) == 0x30 && is_register() && reg_ == rm_ && form != 0 && form != 2;
    if (is_zeroing) {
      Overwrites(reg_);
      return true;
    }
    ReadsReg();
    ReadsOperand((form & 1) == 0 ? 1 : OperandSize());
    return true;
  }

  bool ArithmeticWithConstant() {
    Operands();
    const bool is_byte = opcode_ == 0x80;
    std::int32_t constant = 0;
    if (opcode_ == 0x81 && ImmediateSize() == 4) {
      constant = Word();
    } else if (opcode_ == 0x81) {
      Skip(2);
    } else {
      constant = static_cast<std::int8_t>(Byte());
    }
    if (is_register() && rm_ == kRsp) {
      if (is_byte || !is_wide_ || (digit_ != 0 && digit_ != 5)) {
        out_.stack = Instruction::Stack::kUnknown;
        return true;
      }
      return Moves(digit_ == 0 ? constant : -constant);
    }
    out_.compares = digit_ == 5 || digit_ == 7;
    out_.constant = constant;
    ReadsOperand(is_byte ? 1 : OperandSize());
    return true;
  }

  bool Move() {
    Operands();
    const bool is_byte = (opcode_ & 1) == 0;
    const std::uint32_t size = is_byte ? 1 : OperandSize();
    const bool to_operand = opcode_ < 0x8a;
    const unsigned from = to_operand ? reg_ : rm_;
    const unsigned to = to_operand ? rm_ : reg_;
    if (is_register() && is_wide_ && !is_byte && from == kRsp && to == kRbp) {
      out_.sets_frame = true;
      out_.writes |= Bit(kRbp);
      return true;
    }
    if (is_register() && is_wide_ && !is_byte && from == kRbp && to == kRsp) {
      out_.stack = Instruction::Stack::kToFrame;
      return true;
    }
    if (is_register() && from == kRsp) {
      out_.only_address = true;
      out_.has_memory = true;
      out_.base = kRsp;
      Overwrites(to);
      return true;
    }
    if (to_operand) {
      ReadsReg();
      if (!is_register()) {
        Stores(size);
        return true;
      }
    } else {
      ReadsOperand(size);
    }
    if (is_byte) {
      out_.reads |= Bit(to);
    } else {
      Overwrites(to);
    }
    return true;
  }

  bool MoveConstant() {
    Operands();
    const bool is_byte = opcode_ == 0xc6;
    if (digit_ != 0) return false;
    Skip(is_byte ? 1 : ImmediateSize());
    if (!is_register()) {
      Stores(is_byte ? 1 : OperandSize());
    } else if (is_byte) {
      out_.reads |= Bit(rm_);
    } else {
      Overwrites(rm_);
    }
    return true;
  }

  bool Address() {
    Operands();
    if (is_register()) return false;
    out_.only_address = true;
    if (reg_ != kRsp) {
      Overwrites(reg_);
      is_relative_ = is_near_;
      relative_ = static_cast<std::uint64_t>(std::int64_t{out_.displacement});
      return true;
    }
    out_.only_address = false;  // it only moves the stack pointer
    const bool is_frame = out_.base == kRbp && !out_.has_index;
    const bool is_stack = out_.base == kRsp && !out_.has_index;
    out_.stack = is_frame   ? Instruction::Stack::kToFrame
                 : is_stack ? Instruction::Stack::kMoves
                            : Instruction::Stack::kUnknown;
    out_.moves = out_.displacement;
    out_.has_memory = false;
    out_.base = kNoRegister;
    return true;
  }

  bool Group3() {
    Operands();
    const bool is_byte = opcode_ == 0xf6;
    if (digit_ <= 1) Skip(is_byte ? 1 : ImmediateSize());
    ReadsOperand(is_byte ? 1 : OperandSize());
    return true;
  }

  bool Group5() {
    Operands();
    ReadsOperand(opcode_ == 0xfe ? 1 : 8);
    if (opcode_ == 0xfe) return digit_ <= 1;
    switch (digit_) {
      case 0:
      case 1:
        return true;
      case 2:
        out_.flow = Instruction::Flow::kCall;
        return true;
      case 4:
        out_.flow = Instruction::Flow::kUnknown;
        return true;
      case 6:
        return Moves(-8);
      default:
        return false;
    }
  }

  // Strings, flags, and what works on rax and rdx alone.
  static bool HasNoOperands(std::uint8_t op) {
    return op == 0x98 || op == 0x99 || op == 0x9b || op == 0x9e || op == 0x9f ||
           (op >= 0xa4 && op < 0xb0 && op != 0xa8 && op != 0xa9) || op == 0xf5 || op == 0xf8 ||
           op == 0xf9 || op == 0xfc || op == 0xfd;
  }

  bool OneByte() {
    const std::uint8_t op = opcode_;
    if (HasNoOperands(op)) return true;
    if (op == 0x0f) return TwoBytes();
    if (op < 0x40) return Arithmetic();
    const unsigned low = (op & 7u) | ((rex_ & 1u) << 3);
    if (op >= 0x50 && op < 0x58) {
      out_.reads = Bit(low);
      return Moves(-8);
    }
    if (op >= 0x58 && op < 0x60) {
      out_.writes = Bit(low);
      return low != kRsp && Moves(8);
    }
    if (op >= 0x70 && op < 0x80) return Relative(Instruction::Flow::kBranch, true);
    if (op >= 0x91 && op < 0x98) {
      out_.reads = Bit(low) | Bit(0);
      return true;
    }
    if (op >= 0xb0 && op < 0xb8) {
      Skip(1);
      return true;
    }
    if (op >= 0xb8 && op < 0xc0) {
      Skip(is_wide_ ? 8 : ImmediateSize());
      Overwrites(low);
      return true;
    }
    if (op >= 0xd8 && op < 0xe0) {
      Operands();
      out_.size = kFloatingState;
      return true;
    }
    switch (op) {
      case 0x63:
        Operands();
        ReadsOperand(4);
        Overwrites(reg_);
        return true;
      case 0x68:
        Skip(4);
        return Moves(-8);
      case 0x6a:
        Skip(1);
        return Moves(-8);
      case 0x69:
      case 0x6b:
        Operands();
        Skip(op == 0x6b ? 1 : ImmediateSize());
        ReadsOperand(OperandSize());
        Overwrites(reg_);
        return true;
      case 0x80:
      case 0x81:
      case 0x83:
        return ArithmeticWithConstant();
      case 0x84:
      case 0x85:
      case 0x86:
      case 0x87:
        Operands();
        ReadsReg();
        ReadsOperand((op & 1) == 0 ? 1 : OperandSize());
        return true;
      case 0x88:
      case 0x89:
      case 0x8a:
      case 0x8b:
        return Move();
      case 0x8d:
        return Address();
      case 0x90:
        if ((rex_ & 1) != 0) out_.reads = Bit(0) | Bit(8);
        return true;
      case 0xa8:
        Skip(1);
        return true;
      case 0xa9:
        Skip(ImmediateSize());
        return true;
      case 0xc0:
      case 0xc1:
        Operands();
        Skip(1);
        ReadsOperand(op == 0xc0 ? 1 : OperandSize());
        return true;
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        Operands();
        ReadsOperand((op & 1) == 0 ? 1 : OperandSize());
        return true;
      case 0xc2:
        Skip(2);
        out_.flow = Instruction::Flow::kReturn;
        return true;
      case 0xc3:
        out_.flow = Instruction::Flow::kReturn;
        return true;
      case 0xc6:
      case 0xc7:
        return MoveConstant();
      case 0xc9:
        out_.stack = Instruction::Stack::kFromFrame;
        return true;
      case 0xcc:
      case 0xf4:
        out_.flow = Instruction::Flow::kStop;
        return true;
      case 0xe0:
      case 0xe1:
      case 0xe2:
      case 0xe3:
        return Relative(Instruction::Flow::kBranch, true);
      case 0xe8:
        return Relative(Instruction::Flow::kCall, false);
      case 0xe9:
        return Relative(Instruction::Flow::kJump, false);
      case 0xeb:
        return Relative(Instruction::Flow::kJump, true);
      case 0xf6:
      case 0xf7:
        return Group3();
      case 0xfe:
      case 0xff:
        return Group5();
      default:
        return false;
    }
  }

  static bool HasConstantByte(std::uint8_t op) {
    return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
           op == 0xc4 || op == 0xc5 || op == 0xc6;
  }
  // The register that the instruction names first is one of vectors.
  static bool NamesVector(std::uint8_t op) {
    return (op >= 0x10 && op < 0x18) || op == 0x28 || op == 0x29 || op == 0x2b || op == 0x2e ||
           op == 0x2f || (op >= 0x51 && op < 0x80) || op == 0xc2 || op == 0xc6 || op >= 0xd0;
  }
  // Bytes that a vector's move into memory overwrites; 0: it is none.
  std::uint32_t VectorStore(std::uint8_t op) const {
    if (op == 0x11) return repeat_ == 0xf3 ? 4 : repeat_ == 0xf2 ? 8 : 16;
    if (op == 0x29) return 16;
    if (op == 0x7f && (is_short_ || repeat_ == 0xf3)) return 16;
    if (op == 0xd6 && is_short_) return 8;
    return 0;
  }

  bool TwoBytes() {
    const std::uint8_t op = Byte();
    if (op == 0x38 || op == 0x3a) {
      Byte();
      Operands();
      if (op == 0x3a) Skip(1);
      ReadsReg();
      ReadsOperand(kAnySize);
      return true;
    }
    if (op >= 0x80 && op < 0x90) {
      opcode_ = op - 0x10;
      return Relative(Instruction::Flow::kBranch, false);
    }
    if (op >= 0xc8 && op < 0xd0) {
      out_.reads = Bit((op & 7u) | ((rex_ & 1u) << 3));
      return true;
    }
    switch (op) {
      case 0x05:  // a system call names none of the registers that a call preserves
      case 0x31:
      case 0x77:
      case 0xa2:
        return true;
      case 0x0b:
        out_.flow = Instruction::Flow::kStop;
        return true;
      case 0xae:
        Operands();
        out_.size = kFloatingState;
        if (is_register() && repeat_ != 0) out_.reads = Bit(rm_);
        return true;
      case 0xc7:
        Operands();
        out_.reads |= Bit(kRbx);  // of a compare and exchange of 16 bytes
        ReadsOperand(kAnySize);
        return true;
      default:
        break;
    }
    const bool is_known = op == 0x0d || (op >= 0x10 && op < 0x20) || (op >= 0x28 && op < 0x30) ||
                          (op >= 0x40 && op < 0x80) || (op >= 0x90 && op < 0xa0) || op == 0xa3 ||
                          op == 0xa4 || op == 0xa5 || (op >= 0xab && op < 0xae) || op == 0xaf ||
                          op == 0xb0 || op == 0xb1 || op == 0xb3 ||
                          (op >= 0xb6 && op < 0xc8 && op != 0xb9) || (op >= 0xd0 && op != 0xff);
    if (!is_known) return false;
    Operands();
    if (HasConstantByte(op)) Skip(1);
    if (op >= 0x18 && op < 0x20) {
      out_.has_memory = false;  // hints
      out_.base = kNoRegister;
      return true;
    }
    if (op >= 0x90 && op < 0xa0 && !is_register()) {
      Stores(1);
      return true;
    }
    if (const std::uint32_t stored = VectorStore(op); stored != 0 && !is_register()) {
      Stores(stored);
      return true;
    }
    if (op == 0xb6 || op == 0xbe || op == 0xb7 || op == 0xbf) {
      ReadsOperand((op & 1) == 0 ? 1 : 2);
      Overwrites(reg_);
      return true;
    }
    if (!NamesVector(op)) ReadsReg();
    ReadsOperand(kAnySize);
    return true;
  }

  bool Vex() {
    if (vex_map_ > 3) return false;
    if (vex_map_ == 1 && opcode_ == 0x77) return true;
    Operands();
    if (vex_map_ == 3 || (vex_map_ == 1 && HasConstantByte(opcode_))) Skip(1);
    ReadsReg();
    ReadsOperand(kAnySize);
    out_.reads |= Bit(third_);
    return true;
  }

  const std::uint8_t* const begin_;
  const std::uint8_t* at_;
  const std::uint8_t* const end_;
  Instruction& out_;
  std::uint8_t opcode_ = 0;
  std::uint8_t rex_ = 0;
  std::uint8_t repeat_ = 0;
  std::uint8_t vex_map_ = 0;  // 0: not encoded that way
  std::uint8_t third_ = 0;    // register
  std::uint8_t mode_ = 3;
  std::uint8_t digit_ = 0;
  std::uint8_t reg_ = 0;
  std::uint8_t rm_ = 0;
  bool is_wide_ = false;
  bool is_short_ = false;
  bool is_elsewhere_ = false;
  bool is_relative_ = false;
  bool is_near_ = false;
  bool overran_ = false;
  std::uint64_t relative_ = 0;
};

}  // namespace

bool Decode(const std::uint8_t* code, const std::uint8_t* end, Instruction* instruction) {
  return Decoder(code, end, instruction).Decode();
}

}  // namespace heddle
