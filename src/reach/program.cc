#include "reach/program.h"

#include <utility>

namespace heddle::reach {

Writer::Writer(Program* program)
    : program_(program), thread_(static_cast<Index>(program->threads.size())) {
  program->threads.emplace_back();
}

Writer& Writer::Add(Instruction instruction) {
  code().push_back(std::move(instruction));
  return *this;
}

Index Writer::AddJump(const Guard& guard) {
  Add({.code = guard.empty() ? Code::kJump : Code::kJumpIf, .guard = guard});
  return here() - 1;
}

Writer& Writer::Receive(Index port, Index into) {
  Add({.code = Code::kReceive});
  code().back().alternatives.push_back({.port = port, .into = into, .target = here()});
  return *this;
}

Writer& Writer::If(const Guard& guard, const Body& then, const Body& otherwise) {
  return IfAny({guard}, then, otherwise);
}

Writer& Writer::IfAny(const std::vector<Guard>& guards, const Body& then, const Body& otherwise) {
  std::vector<Index> into_then;
  for (const Guard& guard : guards) into_then.push_back(AddJump(guard));
  if (otherwise) otherwise();
  const Index to_end = AddJump({});
  for (const Index jump : into_then) code()[jump].target = here();
  then();
  code()[to_end].target = here();
  return *this;
}

Writer& Writer::WhileAny(const std::vector<Guard>& guards, const Body& body) {
  const Index again = here();
  return IfAny(guards, [&] {
    body();
    const Index back = AddJump({});
    code()[back].target = again;
  });
}

Writer& Writer::Select(const std::vector<Case>& cases) {
  const Index select = here();
  Add({.code = Code::kSelect});
  std::vector<Index> to_end;
  for (const Case& one : cases) {
    code()[select].alternatives.push_back(
        {.port = one.port, .into = one.into, .guard = one.guard, .target = here()});
    if (one.body) one.body();
    to_end.push_back(AddJump({}));
  }
  for (const Index jump : to_end) code()[jump].target = here();
  return *this;
}

Index AddObject(Program& program, ObjectType type, int initial, Index receiver) {
  program.objects.push_back({type, initial, receiver});
  return static_cast<Index>(program.objects.size() - 1);
}

Index AddCondition(Program& program, Index monitor) {
  program.conditions.push_back(monitor);
  return static_cast<Index>(program.conditions.size() - 1);
}

Var AddVariable(Program& program, int initial) {
  program.variables.push_back(initial);
  return {static_cast<Index>(program.variables.size() - 1)};
}

}  // namespace heddle::reach
