#!/bin/sh
# Leaves in /app what one app of a built repository needs to run: itself, the packages of ours that it uses, and the outside
# libraries of those. Nothing that only builds or tests them.
#   keep-app.sh <folder under apps>
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace "@isopod/$1"
# The manifest of Node's own packages brings one to a checkout; the image has Node already.
rm -rf node_modules/node-linux-*
# An optional peer of a library of the gateway, which only its types need.
rm -rf node_modules/typescript node_modules/@typescript
# Native code that piscina needs only to change the priority of a thread.
rm -rf node_modules/@napi-rs
mkdir -p /app/apps /app/packages
for link in node_modules/@isopod/*; do
  folder=$(realpath --relative-to=. "$link")
  cp -a "$folder" "/app/$folder"
  rm -rf "/app/$folder/src" "/app/$folder/test"
done
mv node_modules package.json /app
