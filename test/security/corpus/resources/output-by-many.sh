for i in {1..20}; do yes "$i" & yes "$i" >&2 & done
wait
