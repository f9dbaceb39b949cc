#!/bin/sh
# Builds a development tool from its own module: tool.sh NAME PACKAGE
# Says every half minute that it is alive: some CI systems end silent jobs.
set -eu
target=$PWD/bin/$1
echo "building $1 (minutes the first time, then cached)"
(
	waited=0
	# Not to stdout: a sleep that outlives the build would hold the log open.
	while sleep 30 >/dev/null 2>&1; do
		waited=$((waited + 30))
		echo "still building $1 after ${waited}s"
	done
) &
beat=$!
trap 'kill "$beat" 2>/dev/null || :' EXIT INT TERM
cd "tools/$1"
CGO_ENABLED=0 go build -buildvcs=false -ldflags "-s -w" -o "$target" "$2"
touch "$target"
