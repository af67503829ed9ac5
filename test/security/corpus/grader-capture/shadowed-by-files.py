import json

print(json.loads("[1]"))
raise SystemExit(5)
