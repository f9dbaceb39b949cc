#!/bin/sh
# Lints the product and the lab with one configuration: lint.sh [fmt]
set -eu
root=$PWD
for module in . lab; do
	[ -f "$module/go.mod" ] || continue
	cd "$root/$module"
	case "${1:-run}" in
	fmt) "$root/bin/golangci-lint" fmt --config "$root/.golangci.yml" ;;
	*)
		echo "lint $module"
		"$root/bin/golangci-lint" run --config "$root/.golangci.yml" ./...
		;;
	esac
done
