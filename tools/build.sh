#!/bin/sh
# Builds the program with its version: build.sh TARGET
set -eu
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
info=github.com/standup-sh/standup/internal/buildinfo
# The commit is stamped by hand: Go's own stamping fails in a checkout that
# belongs to another user, which is what containers in CI often have.
#
# Flags that change how packages are compiled (-trimpath, CGO_ENABLED=0) are left
# to releases: without them the linter, the lab and this build share one cache.
go build -buildvcs=false \
	-ldflags "-s -w -X $info.version=$version -X $info.commit=$commit" \
	-o "$1" .
