#include <stdio.h>

static char buffer[1ul << 30] = {1};

int main(void) { return puts(buffer) < 0; }
