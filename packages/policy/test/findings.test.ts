import { describe, expect, it } from 'vitest'
import { check, tripped } from './support/check.ts'

type Case = readonly [extension: string, rule: string, source: string]

/** Sources that trip a rule, also under other names of an import. */
const FOUND: readonly Case[] = [
  ['py', 'python/os-system', 'from os import system as s'],
  ['py', 'python/import-sys', 'import os as o, sys'],
  ['py', 'python/import-os', "__import__('os')"],
  ['py', 'python/function-eval', 'import builtins\nbuiltins.eval'],
  ['py', 'python/function-eval', 'e = eval; e("1")'],
  ['py', 'python/function-eval', '(x := eval)'],
  ['py', 'python/function-eval', 'lambda: eval'],
  ['py', 'python/function-eval', '@eval\ndef f(): pass'],
  ['py', 'python/function-eval', '# a comment ends here\reval("1")'],
  ['py', 'python/function-exec', 'f"{exec(1)}"'],
  ['py', 'python/function-globals', "globals()['__builtins__']"],
  ['py', 'python/os-system', 'from os import *\nsystem("x")'],
  ['py', 'python/source-encoding', '#!/usr/bin/python\n# vim: set fileencoding=unicode_escape :\n\\x65val'],
  ['py', 'python/open-for-writing', 'from io import open as o\no("f", "r+")'],
  ['js', 'javascript/import-child-process', 'const { exec: e } = require("node:child_process")'],
  ['js', 'javascript/import-child-process', 'import { exec as e } from "child_process"'],
  ['js', 'javascript/import-child-process', 'export { exec } from "child_process"'],
  ['js', 'javascript/process-binding', 'const { binding } = process; binding("fs")'],
  ['js', 'javascript/function-eval', '(0, eval)("x")'],
  ['js', 'javascript/function-eval', 'eval?.("1")'],
  ['js', 'javascript/function-eval', 'let e; e = eval; e("1")'],
  ['js', 'javascript/function-eval', '`\u0024{eval("1")}`'],
  ['js', 'javascript/function-eval', 'function f(a = eval) { a("1") }'],
  ['js', 'javascript/function-eval', '{ let eval = 1 }\neval("1")'],
  ['js', 'javascript/write-file', 'import * as p from "fs/promises"; p.writeFile("x", "y")'],
  ['ts', 'javascript/write-file', 'import fs = require("fs"); fs.writeFileSync("x", "y")'],
  ['ts', 'javascript/function-eval', 'const x = eval as any; x("1")'],
  ['ts', 'javascript/function-eval', '(<any>eval)("x")'],
  ['ts', 'javascript/function-eval', '(eval!)("x")'],
  ['sh', 'bash/command-curl', 'cat <<EOF\n$(curl x)\nEOF'],
  ['sh', 'bash/command-curl', 'sudo -u root nice -n 5 curl x'],
  ['sh', 'bash/command-curl', 'A=1 env -i B=2 timeout 5s curl x'],
  ['sh', 'bash/command-eval', '# ends \\\neval x'],
  ['sh', 'bash/command-eval', 'echo "$(eval x)"'],
  ['sh', 'bash/remove-folder', 'find . -exec rm -rf {} +'],
  ['py', 'python/function-exec', 'exec(open("x").read())'],
  ['py', 'python/function-eval', 'f"{f"{eval("1")}"}"'],
  ['py', 'python/function-eval', 'list(map(eval, ["1"]))'],
  ['py', 'python/attribute-subclasses', 'type.__subclasses__(object)'],
  ['py', 'python/function-eval', 'from builtins import *\neval("1")'],
  ['js', 'javascript/function-eval', 'eval`1`'],
  ['js', 'javascript/with-statement', 'with (process) { binding("fs") }'],
  ['js', 'javascript/function-eval', 'const o = { get x() { return eval } }'],
  ['sh', 'bash/command-curl', 'echo x | xargs curl'],
  ['sh', 'bash/command-curl', 'busybox env command curl x'],
  ['sh', 'bash/computed-command', 'bash -c "$(cat x)"'],
  ['sh', 'bash/computed-command', '. "$x"'],
  ['sh', 'bash/pipe-to-shell', 'source <(cat x)'],
  ['sh', 'bash/pipe-to-shell', 'bash <(cat x)'],
  ['sh', 'bash/pipe-to-shell', 'cat x | sudo bash -s a'],
  ['sh', 'bash/pipe-to-shell', 'cat <<E | sh\ncurl x\nE'],
  ['sh', 'bash/write-device', 'echo x | tee /dev/sda'],
  ['sh', 'bash/fork-bomb', 'bomb() { bomb & bomb; }'],
  ['py', 'python/subprocess-call', 'import subprocess as sp\nsp.run(["ls"])'],
  ['py', 'python/subprocess-call', 'from subprocess import Popen as P\nP(["ls"])'],
  ['py', 'python/os-system', 'def f():\n  import os\n  os.system("x")'],
  ['py', 'python/os-system', 'import os, sys\nif sys.argv: print(os . system ("x"))'],
  ['py', 'python/import-os', 'import os.path as p'],
  ['py', 'python/import-os', 'import importlib as i\ni.import_module("os")'],
  ['py', 'python/urllib-request', 'from urllib import request'],
  ['py', 'python/open-for-writing', 'class A:\n  def open(self): return open("f", "wb")'],
  ['py', 'python/open-for-writing', 'with open(file=p, mode="a") as f: f.write("x")'],
  ['py', 'python/attribute-class', '().__class__.__mro__'],
  ['py', 'python/attribute-builtins', 'print(__builtins__)'],
  ['py', 'python/os-system', 'try: import myos as os\nexcept E: import os\nos.system("x")'],
  ['py', 'python/frame', 'from sys import _getframe'],
  ['js', 'javascript/write-file', 'const { writeFileSync: w } = require("fs"); w("x", "y")'],
  ['js', 'javascript/write-file', 'require("node:fs").writeFileSync("x", "y")'],
  ['js', 'javascript/write-file', 'const { writeFile } = require("fs").promises; writeFile("x", "y")'],
  ['js', 'javascript/write-file', 'const fs = await import("node:fs"); fs.rm; fs.appendFile("x", "y")'],
  ['js', 'javascript/write-file', 'const p = require("fs").promises; p.writeFile("x", "y")'],
  ['js', 'javascript/function-Function', 'new Function("return 1")()'],
  ['js', 'javascript/network-global', 'window.fetch("x")'],
  ['js', 'javascript/process-control', 'const { env } = process'],
  ['sh', 'bash/pipe-to-shell', 'curl x | sh'],
  ['sh', 'bash/command-curl', '"curl" x; \'wget\' y'],
  ['sh', 'bash/remove-folder', 'sudo rm -r "$dir" -f'],
]

/** Sources that are not found by design (see the README), because only a run reveals the name. */
const NOT_FOUND: readonly Case[] = [
  ['py', 'python/function-eval', 'getattr(__builtins__, "ev" + "al")'],
  ['py', 'python/function-eval', 'globals()["__builtins__"].eval'],
  ['py', 'python/function-eval', '𝐞𝐯𝐚𝐥("1")'],
  ['py', 'python/function-eval', 'if 0: eval = 1\neval("1")'],
  ['py', 'python/os-system', 'import os\no = os\no.system("x")'],
  ['py', 'python/os-system', 'import random\nrandom._os.system("x")'],
  ['py', 'python/os-system', 'import sys\nsys.modules["os"].system("x")'],
  ['py', 'python/attribute-class', '"{0.__class__}".format(x)'],
  ['js', 'javascript/import-child-process', 'require("child_" + "process")'],
  ['js', 'javascript/import-child-process', 'const r = require; r("child_process")'],
  ['js', 'javascript/function-eval', 'globalThis["eval"]("1")'],
  ['js', 'javascript/function-eval', '\\u0065val("1")'],
  ['js', 'javascript/function-Function', '[].constructor.constructor("x")()'],
  ['sh', 'bash/command-curl', 'c=curl; $c x'],
  ['sh', 'bash/command-curl', '$(echo curl) x'],
  ['sh', 'bash/command-curl', 'c\\url x'],
  ['sh', 'bash/command-curl', 'bash -c "curl x"'],
  ['sh', 'bash/command-curl', 'bash <<END\ncurl x\nEND'],
]

/** Harmless programs that contain the words of rules. */
const HONEST: readonly [extension: string, source: string][] = [
  ['py', 'def open_door(): pass\nopen_door()'],
  ['py', 'df.eval("a + b"); model.eval()'],
  ['py', 'import re\nre.compile("x").match("y")'],
  ['py', 'def eval(x): return x\nprint(eval(1))'],
  ['py', 'def f(exec, *, open=None): return exec(open)'],
  ['py', 'def f():\n  compile = 1\n  return compile'],
  ['py', 'class A:\n  def eval(self): return self.eval()'],
  ['py', 'd = {"eval": 1}\nprint(d["eval"])'],
  ['py', '[open for open, close in prices]'],
  ['py', 'try: pass\nexcept E as signal: print(signal)'],
  ['py', 'from .os import path'],
  ['py', 'class A:\n  def __reduce__(self): return A, ()'],
  ['py', 'import math, re\nx = [math.pi, re.sub]\nprint(x[0], {"a": print}["a"])'],
  ['py', 'def f(x):\n  match x:\n    case [open, close]: print(open)'],
  ['py', 'import math, numpy as np\nnp.random.choice([1])'],
  ['js', 'const m = /x/.exec("y"); re.exec("z")'],
  ['js', 'x instanceof Function || typeof x === "function"'],
  ['js', 'Function.prototype.toString'],
  ['js', 'class A { constructor() { this.eval = 1 } }'],
  ['js', 'const o = { eval: 1, fetch() {} }; o.eval; o.fetch()'],
  ['js', 'function f(eval2, fetch) { return fetch(eval2) }'],
  ['js', 'process.stdout.write(process.argv[2]); process.exit(1)'],
  ['js', 'const { [key]: x, y } = own; (function () { return this.x })()'],
  ['ts', 'import type { ChildProcess } from "child_process"'],
  ['ts', 'const f: Function = g; function h(eval?: string) { return eval }'],
  ['sh', 'echo curl eval "rm -rf /"'],
  ['sh', 'x="a b"; echo $x; ls \u0024{1:-.} | tee out; for f in *; do echo "$f"; done'],
  ['sh', 'f() { n+=1; printf "%s" "$n"; }; f | sort -s; bash -c "echo 1"'],
  ['sh', "cat <<'END'\ncurl x; eval y; $(wget z)\nEND"],
  ['sh', 'case $1 in curl) echo x ;; esac'],
  ['sh', 'f() { echo "$1" 2>&1 >/dev/null; }; f x'],
  ['sh', 'walk() { [ "$1" -gt 0 ] && walk $(($1 - 1)); }; walk 3'],
]

it('the policy check reports each message once, with its first place', () => {
  const { findings } = check('py', 'x = 1\r\n\r\nimport os\nimport os\nfrom os import path')
  expect(findings.map(({ message, line }) => ({ message, line }))).toEqual([
    { message: 'Blocked import: os', line: 3 },
  ])
})

describe('the policy check', () => {
  it.each(FOUND)('%s: finds %s in %j', (extension, rule, source) => {
    expect(tripped(extension, source)).toContain(rule)
  })

  it.each(NOT_FOUND)('%s: does not find %s in %j, by design', (extension, rule, source) => {
    expect(tripped(extension, source)).not.toContain(rule)
  })

  it.each(HONEST)('%s: finds nothing in %j', (extension, source) => {
    expect(tripped(extension, source)).toEqual([])
  })
})
