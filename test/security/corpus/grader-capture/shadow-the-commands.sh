for name in cat find bash ls sh env gcc python3 node; do
  for place in /usr/local/bin /usr/bin /bin /workspace /tmp; do
    { printf '#!/bin/sh\nexit 0\n' > "$place/$name.new" && [ "${place#/usr}" != "$place" ] && echo "ESCAPED: wrote $place"; } 2>/dev/null
  done
done
exit 5
