for i in {1..200}; do
  printf '\x86\x34' ; printf '\x00\x00' >&2; printf '\x00{"exitCode":0'; printf ',"limit":null}' >&2
done
exit 35
