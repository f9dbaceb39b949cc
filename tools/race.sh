#!/bin/sh
# Prints -race where the race detector can be built: it needs cgo, and cgo needs
# a compiler that finds the C library's headers.
set -eu
[ "$(go env CGO_ENABLED)" = 1 ] || exit 0
case "$(go env GOOS)/$(go env GOARCH)" in
linux/amd64 | linux/arm64 | darwin/amd64 | darwin/arm64) ;;
*) exit 0 ;;
esac
cc=$(go env CC)
if echo '#include <stdlib.h>' | $cc -E - >/dev/null 2>&1; then
	echo "-race"
fi
