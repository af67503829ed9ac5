#!/bin/sh
# Copies to /app what one built app needs to run: the app, the workspace packages and the libraries that it uses. Leaves out
# sources, tests and build tools.
#   keep-app.sh <folder under apps>
set -eu
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace "@isopod/$1"
# The npm package `node` brings its own Node.js to a checkout; the image has one already.
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
