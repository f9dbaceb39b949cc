package lab

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/lab/standin"
)

// FluxVersion is the version of the controllers that the lab builds.
const FluxVersion = "v1.9.6"

// applyBase makes what a cluster has before git is looked at: the namespaces
// and the kinds of Flux's four default components.
func (c *Cluster) applyBase(ctx context.Context) error {
	objs, err := c.fluxCRDs()
	if err != nil {
		return err
	}
	for _, name := range []string{"default", "kube-system", FluxNamespace} {
		objs = append(objs, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		}})
	}
	if err := c.ApplyObjects(ctx, objs, "flux"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for _, obj := range objs {
		if obj.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if err := c.waitEstablished(ctx, obj.GetName()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) waitEstablished(ctx context.Context, crd string) error {
	gvr := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	err := every(ctx, 20*time.Millisecond, func() (bool, error) {
		obj, err := c.Get(ctx, gvr, "", crd)
		if err != nil {
			return false, err
		}
		status, _, _ := Condition(obj, "Established")
		return status == "True", nil
	})
	if err != nil {
		return fmt.Errorf("wait for the kind %s: %w", crd, err)
	}
	return nil
}

// fluxCRDs are the real CRDs of the two controllers that run, and for helm- and
// notification-controller, which do not, ones that take any object.
func (c *Cluster) fluxCRDs() ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(c.bins.CRDs, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(fmt.Errorf("no Flux CRDs in %s", c.bins.CRDs), err)
	}
	var out []*unstructured.Unstructured
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("flux CRDs: %w", err)
		}
		objs, err := decode(raw)
		if err != nil {
			return nil, fmt.Errorf("flux CRDs: %s: %w", f, err)
		}
		out = append(out, objs...)
	}
	const notification = "notification.toolkit.fluxcd.io"
	for _, k := range []catalog.Kind{
		{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease", Plural: "helmreleases", Versions: []string{"v2"}},
		{Group: notification, Kind: "Alert", Plural: "alerts", Versions: []string{"v1beta3"}},
		{Group: notification, Kind: "Provider", Plural: "providers", Versions: []string{"v1beta3"}},
		{Group: notification, Kind: "Receiver", Plural: "receivers", Versions: []string{"v1"}},
	} {
		k.Scope = catalog.Namespaced
		crd := standin.CRD(k, nil)
		if k.Kind == "HelmRelease" {
			printable(crd, "hr")
		}
		out = append(out, crd)
	}
	for _, crd := range out {
		crd.SetLabels(fluxLabels(crd.GetLabels()))
	}
	return out, nil
}

// printable gives a CRD the short name and the columns of kubectl get that
// people are used to.
func printable(crd *unstructured.Unstructured, short string) {
	_ = unstructured.SetNestedStringSlice(crd.Object, []string{short}, "spec", "names", "shortNames")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		v.(map[string]any)["additionalPrinterColumns"] = []any{
			map[string]any{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
			map[string]any{"name": "Ready", "type": "string", "jsonPath": `.status.conditions[?(@.type=="Ready")].status`},
			map[string]any{"name": "Status", "type": "string", "jsonPath": `.status.conditions[?(@.type=="Ready")].message`},
		}
	}
	_ = unstructured.SetNestedSlice(crd.Object, versions, "spec", "versions")
}

// fluxLabels are the labels that `flux install` puts on everything.
func fluxLabels(labels map[string]string) map[string]string {
	if labels == nil {
		labels = map[string]string{}
	}
	labels["app.kubernetes.io/part-of"] = "flux"
	labels["app.kubernetes.io/instance"] = FluxNamespace
	labels["app.kubernetes.io/version"] = "v2.9.0"
	return labels
}

// startStandIns runs the stand-ins, and those of the internet in any case:
// without it every HelmRepository of a tree would fail.
func (c *Cluster) startStandIns(ctx context.Context) error {
	var err error
	c.internet, err = standin.StartInternet(ctx, func(host string) (*tls.Config, error) {
		pair, err := c.ca.Issue(host, nil, host)
		if err != nil {
			return nil, err
		}
		return pair.TLS()
	})
	if err != nil || c.opts.NoStandIns {
		return err
	}
	cfg, err := c.adminConfig("lab:stand-in")
	if err != nil {
		return err
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("stand-ins: %w", err)
	}
	c.standins, err = standin.Start(ctx, dyn, c.opts.StandIns, c.opts.Logf)
	return err
}

// Internet is the stand-in for chart repositories and registries.
func (c *Cluster) Internet() *standin.Internet { return c.internet }
