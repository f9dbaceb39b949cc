package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Kustomizations is the resource of Flux's Kustomizations.
func Kustomizations() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kustomize.toolkit.fluxcd.io", Version: "v1", Resource: "kustomizations"}
}

// GitRepositories is the resource of Flux's GitRepositories.
func GitRepositories() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "source.toolkit.fluxcd.io", Version: "v1", Resource: "gitrepositories"}
}

// HelmReleases is the resource of Flux's HelmReleases.
func HelmReleases() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Resource: "helmreleases"}
}

// BootstrapOptions say where Flux starts to read.
type BootstrapOptions struct {
	// Repo is a repository that has been pushed; "fleet" if empty.
	Repo string
	// Path is the path of the root Kustomization in it; "./" if empty.
	Path string
	// Namespace of both objects; flux-system if empty.
	Namespace string
	// Interval of the root Kustomization; 10m if empty. RetryInterval is not
	// set if empty, as flux bootstrap does.
	Interval, RetryInterval string
	// SourceInterval is how often git is looked at; 1m if empty.
	SourceInterval string
	// SubstituteFrom names a ConfigMap for the root's postBuild.
	SubstituteFrom string
	// Suspended ends with every Kustomization that the root brings suspended
	// and never reconciled, and the root itself suspended after one pass: the
	// cold cluster that resume is for. See SuspendAll for the field manager.
	Suspended bool
}

// Bootstrap creates the GitRepository and the root Kustomization flux-system,
// as `flux bootstrap` would have.
func (c *Cluster) Bootstrap(ctx context.Context, o BootstrapOptions) error {
	if !o.Suspended {
		return c.ApplyObjects(ctx, c.root(o), "flux")
	}
	// The children must never run, not even for the moment between their
	// creation and their suspension. So for the root's own pass the controller
	// looks at nothing that was applied by a Kustomization.
	k, err := c.controller(KustomizeController)
	if err != nil {
		return err
	}
	k.mu.Lock()
	flags := k.extra
	k.mu.Unlock()
	selector := "--watch-label-selector=!kustomize.toolkit.fluxcd.io/name"
	if err := c.StartController(ctx, KustomizeController, append(slices.Clone(flags), selector)...); err != nil {
		return err
	}
	if err := c.ApplyObjects(ctx, c.root(o), "flux"); err != nil {
		return err
	}
	if err := c.waitAttempted(ctx, o); err != nil {
		return err
	}
	if err := c.SuspendAll(ctx, SuspendOptions{}); err != nil {
		return err
	}
	k.pause()
	k.mu.Lock()
	k.extra = flags
	k.mu.Unlock()
	return k.start(ctx)
}

// waitAttempted waits until the root has been applied, or has failed for good.
func (c *Cluster) waitAttempted(ctx context.Context, o BootstrapOptions) error {
	var last string
	err := c.WaitFor(ctx, func() (bool, error) {
		obj, err := c.Get(ctx, Kustomizations(), cmp.Or(o.Namespace, FluxNamespace), FluxNamespace)
		if err != nil {
			return false, err
		}
		status, reason, message := Condition(obj, "Ready")
		last = fmt.Sprintf("%s/%s: %s", status, reason, message)
		attempted, _, _ := unstructured.NestedString(obj.Object, "status", "lastAttemptedRevision")
		applied, _, _ := unstructured.NestedString(obj.Object, "status", "lastAppliedRevision")
		// A root that is in its own tree labels itself and is then no longer
		// looked at: its second pass stays in progress for ever.
		return applied != "" || attempted != "" && status == "False", nil
	})
	if err != nil {
		return fmt.Errorf("wait for the root Kustomization (last seen %s): %w", last, err)
	}
	return nil
}

func (c *Cluster) root(o BootstrapOptions) []*unstructured.Unstructured {
	namespace := cmp.Or(o.Namespace, FluxNamespace)
	meta := func() map[string]any { return map[string]any{"name": FluxNamespace, "namespace": namespace} }
	spec := map[string]any{
		"interval": cmp.Or(o.Interval, "10m0s"), "path": cmp.Or(o.Path, "./"), "prune": true,
		"sourceRef": map[string]any{"kind": "GitRepository", "name": FluxNamespace},
	}
	if o.RetryInterval != "" {
		spec["retryInterval"] = o.RetryInterval
	}
	if o.SubstituteFrom != "" {
		spec["postBuild"] = map[string]any{
			"substituteFrom": []any{map[string]any{"kind": "ConfigMap", "name": o.SubstituteFrom}},
		}
	}
	objs := []*unstructured.Unstructured{
		{Object: map[string]any{
			"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": meta(),
			"spec": map[string]any{
				"interval": cmp.Or(o.SourceInterval, "1m0s"), "url": c.RepoURL(cmp.Or(o.Repo, "fleet")), "ref": map[string]any{"branch": "main"},
			},
		}},
		{Object: map[string]any{
			"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": meta(), "spec": spec,
		}},
	}
	if namespace != FluxNamespace {
		objs = append([]*unstructured.Unstructured{{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace},
		}}}, objs...)
	}
	return objs
}

// SuspendOptions say what to suspend, and as whom.
type SuspendOptions struct {
	// Manager is the field manager that owns spec.suspend afterwards; "flux",
	// as of `flux suspend`, if empty.
	Manager string
	// Sources suspends the GitRepositories as well.
	Sources bool
	// Except names Kustomizations to leave alone, as namespace/name.
	Except []string
}

// SuspendAll sets spec.suspend on every Kustomization of every namespace.
func (c *Cluster) SuspendAll(ctx context.Context, o SuspendOptions) error {
	kinds := []schema.GroupVersionResource{Kustomizations()}
	if o.Sources {
		kinds = append(kinds, GitRepositories())
	}
	for _, gvr := range kinds {
		list, err := c.client.dynamic.Resource(gvr).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("suspend all: %w", err)
		}
		for _, obj := range list.Items {
			if slices.Contains(o.Except, obj.GetNamespace()+"/"+obj.GetName()) {
				continue
			}
			if err := c.Suspend(ctx, gvr, obj.GetNamespace(), obj.GetName(), true, o.Manager); err != nil {
				return err
			}
		}
	}
	return nil
}

// Suspend sets or clears spec.suspend of one object by a merge patch with the
// field manager, which is "flux" if empty.
func (c *Cluster) Suspend(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string, on bool, manager string) error {
	return c.Patch(ctx, gvr, namespace, name, map[string]any{"spec": map[string]any{"suspend": on}}, cmp.Or(manager, "flux"))
}

// Nudge asks a Flux controller to look at one object now, as `flux reconcile`
// does.
func (c *Cluster) Nudge(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) error {
	now := time.Now().Format(time.RFC3339Nano)
	return c.Patch(ctx, gvr, namespace, name, map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{"reconcile.fluxcd.io/requestedAt": now},
	}}, "flux")
}

// Patch merge-patches one object with the field manager.
func (c *Cluster) Patch(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string, patch map[string]any, manager string) error {
	raw, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("patch %s %s/%s: %w", gvr.Resource, namespace, name, err)
	}
	_, err = c.in(gvr, namespace).Patch(ctx, name, types.MergePatchType, raw, metav1.PatchOptions{FieldManager: manager})
	if err != nil {
		return fmt.Errorf("patch %s %s/%s: %w", gvr.Resource, namespace, name, err)
	}
	return nil
}

// ResourceVersions maps every Flux object of the cluster, as
// resource.group/namespace/name, to its resource version: equal maps mean that
// nothing has changed.
func (c *Cluster) ResourceVersions(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	kinds := []schema.GroupVersionResource{Kustomizations(), HelmReleases(), GitRepositories()}
	for _, resource := range []string{"helmrepositories", "ocirepositories", "buckets", "helmcharts"} {
		gvr := GitRepositories()
		gvr.Resource = resource
		kinds = append(kinds, gvr)
	}
	for _, gvr := range kinds {
		list, err := c.client.dynamic.Resource(gvr).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("resource versions: %w", err)
		}
		for _, obj := range list.Items {
			out[gvr.GroupResource().String()+"/"+obj.GetNamespace()+"/"+obj.GetName()] = obj.GetResourceVersion()
		}
	}
	return out, nil
}

// Changed lists what differs between two answers of ResourceVersions, sorted.
func Changed(before, after map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(before)) {
		if after[k] != before[k] {
			out = append(out, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[k]; !was {
			out = append(out, k)
		}
	}
	return out
}
