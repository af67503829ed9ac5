big=$(head -c 100000 /dev/zero | tr '\0' x)
args=(); for i in {1..18}; do args+=("$big"); done
for i in {1..5}; do env HUGE="$big" /bin/true "${args[@]}" & done
wait
env HUGE="$(head -c 200000 /dev/zero | tr '\0' y)" /bin/true 2>/dev/null
exit 0
