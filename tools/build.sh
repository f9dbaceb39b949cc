#!/bin/sh
# Builds the program with its version: build.sh TARGET
set -eu
version=$(git describe --tags --always --dirty 2>/dev/null || echo dev)
commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
info=github.com/standup-sh/standup/internal/buildinfo
# The commit is stamped by hand: Go's own stamping fails in a checkout that
# belongs to another user, which is what containers in CI often have.
CGO_ENABLED=0 go build -trimpath -buildvcs=false \
	-ldflags "-s -w -X $info.version=$version -X $info.commit=$commit" \
	-o "$1" .
