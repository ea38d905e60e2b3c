// Makes forking runs cheap: fewer page faults in every child.
#ifndef HEDDLE_RUNTIME_MEMORY_PREFORK_H_
#define HEDDLE_RUNTIME_MEMORY_PREFORK_H_

namespace heddle {

// Once, before the first fork. A child refaults every page of a file mapping that it touches,
// unless the mapping has private pages: then fork copies its page table instead. So one page of
// each code and constant segment is made private. Does nothing where the system forbids it.
void KeepFileMappingsMapped();

}  // namespace heddle

#endif  // HEDDLE_RUNTIME_MEMORY_PREFORK_H_
