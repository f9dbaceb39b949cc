#!/bin/sh
# Writes the definitions of Flux's kinds from the API modules that go.mod pins, as
# the controllers make their own. test/definitions_test.go holds MODULES against
# go.mod, so that verify needs no controller-gen.
set -eu
target=internal/schemas/flux
set -- \
	github.com/fluxcd/helm-controller/api/v2 \
	github.com/fluxcd/kustomize-controller/api/v1 \
	github.com/fluxcd/source-controller/api/v1 \
	github.com/fluxcd/source-watcher/api/v2/v1beta1
paths=
for package in "$@"; do
	paths="$paths paths=$package"
done
rm -f "$target"/*.yaml
# Word splitting is meant: one argument a package.
# shellcheck disable=SC2086
bin/controller-gen crd:maxDescLen=0 $paths "output:crd:dir=$target"
for package in "$@"; do
	go list -f '{{.Module.Path}} {{.Module.Version}}' "$package"
done >"$target/MODULES"
