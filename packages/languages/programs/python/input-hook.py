def _load():
    import builtins, json
    try:
        with open('/workspace/input.json', encoding='utf-8') as file:
            builtins.input_data = json.load(file)
    except OSError:
        pass  # a child process, started after the program removed the file

_load()
del _load
