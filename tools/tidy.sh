#!/bin/sh
# Checks or tidies each module: tidy.sh check|write
#
# The modules that only build a program (tools, lab/binaries) are checked in
# another way: tidying would fetch the tests of everything that they depend on.
set -eu
root=$PWD
for module in . lab; do
	cd "$root/$module"
	if [ "$1" = write ]; then
		go mod tidy
	elif ! go mod tidy -diff; then
		echo "$module: go.mod or go.sum is out of date; run make update" >&2
		exit 1
	fi
done
cd "$root"
for mod in tools/*/go.mod lab/binaries/*/go.mod; do
	[ -f "$mod" ] || continue
	cd "$root/${mod%/go.mod}"
	if ! go list -mod=readonly tool >/dev/null; then
		echo "$mod: out of date; run go get -tool in that folder" >&2
		exit 1
	fi
done
