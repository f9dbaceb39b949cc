//go:build tools

package main

import (
	_ "github.com/cenkalti/backoff/v4"
	_ "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/kustomize-controller/api/v1"
	_ "github.com/fluxcd/pkg/apis/kustomize"
	_ "github.com/fluxcd/pkg/apis/meta"
	_ "github.com/fluxcd/pkg/runtime/cel"
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/urfave/cli/v2"
	_ "go.uber.org/zap"
	_ "go.yaml.in/yaml/v3"
	_ "charm.land/bubbletea/v2"
	_ "charm.land/lipgloss/v2"
	_ "golang.org/x/term"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	_ "k8s.io/client-go/dynamic/fake"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/client-go/util/retry"
	_ "k8s.io/client-go/dynamic/dynamicinformer"
	_ "k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/tools/clientcmd"
	_ "k8s.io/client-go/tools/leaderelection/resourcelock"
)
