#!/bin/sh
# Lints the product and the lab with one configuration: lint.sh [fmt]
set -eu
root=$PWD
failed=0
for module in . lab; do
	cd "$root/$module"
	if [ "${1:-run}" = fmt ]; then
		"$root/bin/golangci-lint" fmt --config "$root/.golangci.yml"
		continue
	fi
	echo "lint $module"
	# Both are linted even if the first fails: one look shows everything.
	"$root/bin/golangci-lint" run --config "$root/.golangci.yml" ./... || failed=1
done
exit "$failed"
