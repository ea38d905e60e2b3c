#include "account.h"

namespace {
int notes = 0;
}

void Note() { ++notes; }
int Notes() { return notes; }
