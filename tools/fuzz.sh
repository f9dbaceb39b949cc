#!/bin/sh
# Runs every fuzz test of the product for a while, one after the other: fuzz.sh 30s
set -eu
for pkg in $(go list ./...); do
	for name in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || :); do
		echo "fuzz $pkg $name"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$1" "$pkg"
	done
done
