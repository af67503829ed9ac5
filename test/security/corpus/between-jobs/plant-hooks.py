import os

planted = 'import sys; sys.stdout.write("planted\\n")\n'
places = [f"{os.environ.get('HOME', '/workspace')}/.local/lib/python3.13/site-packages/usercustomize.py"]
for root in ("/workspace", "/tmp"):
    for name in ("sitecustomize.py", "usercustomize.py", "main.py", "os.py", "encodings/__init__.py", "resource.py"):
        places.append(f"{root}/{name}")
    places += [f"{root}/.isopod/hook.py", f"{root}/__pycache__/main.cpython-313.pyc", f"{root}/.bashrc", f"{root}/node_modules/x.js"]
for place in places:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if place != "/workspace/main.py":
        open(place, "w").write(planted)
