const kept = []
for (;;) kept.push(Buffer.alloc(8 << 20, 1))
