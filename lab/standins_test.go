package lab

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/standup-sh/standup/internal/catalog"
	"github.com/standup-sh/standup/lab/standin"
)

// TestStandIns tries each stand-in on one cluster without Flux.
func TestStandIns(t *testing.T) {
	t.Parallel()
	ctx, c := start(t, Options{NoControllers: true})
	t.Run("the API server takes every kind of the catalogue", testCatalogue(ctx, c))
	t.Run("workloads become available", testWorkloads(ctx, c))
	t.Run("a delay, a fault, and healing", testDelays(ctx, c))
	t.Run("claims are bound and services get an address", testStorage(ctx, c))
	t.Run("a chart brings its kinds and operator", testHelm(ctx, c))
	t.Run("a HelmRelease stalls", testHelmStalls(ctx, c))
	t.Run("CDI brings its kinds and folds profiles", testCDI(ctx, c))
}

func testCatalogue(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		cat, err := catalog.Load()
		if err != nil {
			t.Fatal(err)
		}
		crds := c.Dynamic().Resource(resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"))
		for _, e := range cat.Entries() {
			for _, k := range e.Provides {
				_, err := crds.Create(ctx, standin.CRD(k, nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				if err != nil {
					t.Errorf("%s: %v", e.Name, err)
				}
			}
		}
	}
}

func resource(group, version, name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: name}
}

func apply(ctx context.Context, t *testing.T, c *Cluster, format string, args ...any) {
	t.Helper()
	if err := c.Apply(ctx, fmt.Appendf(nil, format, args...)); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until an object satisfies ok.
func eventually(ctx context.Context, t *testing.T, c *Cluster, gvr schema.GroupVersionResource, ns, name string, ok func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	t.Helper()
	var last *unstructured.Unstructured
	err := c.WaitFor(within(ctx, t, 15*time.Second), func() (bool, error) {
		obj, err := c.Get(ctx, gvr, ns, name)
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		last = obj
		return err == nil && ok(obj), err
	})
	if err != nil {
		status := any("no object")
		if last != nil {
			status = last.Object["status"]
		}
		t.Fatalf("%s %s/%s: %v; last status %v", gvr.Resource, ns, name, err, status)
	}
	return last
}

func is(kind, status string) func(*unstructured.Unstructured) bool {
	return func(obj *unstructured.Unstructured) bool {
		got, _, _ := Condition(obj, kind)
		return got == status
	}
}

const workload = `apiVersion: apps/v1
kind: %[1]s
metadata: {name: %[2]s, namespace: default, annotations: {%[3]s}}
spec:
  selector: {matchLabels: {app: x}}
  template: {metadata: {labels: {app: x}}, spec: {containers: [{name: x, image: registry.example.org/x}]}}
`

func testWorkloads(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
			apply(ctx, t, c, workload, kind, "web", "")
		}
		apply(ctx, t, c, `apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: default}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: x, image: registry.example.org/x}]}}}
`)
		eventually(ctx, t, c, resource("apps", "v1", "deployments"), "default", "web", is("Available", "True"))
		number := func(field string) func(*unstructured.Unstructured) bool {
			return func(obj *unstructured.Unstructured) bool {
				n, _, _ := unstructured.NestedInt64(obj.Object, "status", field)
				return n == 1
			}
		}
		eventually(ctx, t, c, resource("apps", "v1", "statefulsets"), "default", "web", number("readyReplicas"))
		eventually(ctx, t, c, resource("apps", "v1", "daemonsets"), "default", "web", number("numberAvailable"))
		eventually(ctx, t, c, resource("batch", "v1", "jobs"), "default", "once", is("Complete", "True"))
	}
}

func testDelays(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		deployments := resource("apps", "v1", "deployments")
		apply(ctx, t, c, workload, "Deployment", "slow", standin.DelayAnnotation+": 1s")
		apply(ctx, t, c, workload, "Deployment", "never", standin.DelayAnnotation+": never")
		apply(ctx, t, c, workload, "Deployment", "late", standin.FaultAnnotation+": stalled")
		slow := eventually(ctx, t, c, deployments, "default", "slow", is("Available", "False"))
		eventually(ctx, t, c, deployments, "default", "late", is("Progressing", "False"))
		eventually(ctx, t, c, deployments, "default", "slow", is("Available", "True"))
		if took := time.Since(slow.GetCreationTimestamp().Time); took < time.Second {
			t.Errorf("available after %s, want at least 1s", took)
		}
		eventually(ctx, t, c, deployments, "default", "never", is("Available", "False"))

		c.StandIns().SetFault("Deployment/default/held", standin.Fault{Delay: standin.Never})
		apply(ctx, t, c, workload, "Deployment", "held", "")
		eventually(ctx, t, c, deployments, "default", "held", is("Available", "False"))
		c.StandIns().SetFault("Deployment/default/held", standin.Fault{})
		eventually(ctx, t, c, deployments, "default", "held", is("Available", "True"))
	}
}

func testStorage(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		apply(ctx, t, c, `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: default}
spec: {type: LoadBalancer, ports: [{port: 80}], selector: {app: x}}
`)
		eventually(ctx, t, c, resource("", "v1", "persistentvolumeclaims"), "default", "data", func(obj *unstructured.Unstructured) bool {
			phase, _, _ := unstructured.NestedString(obj.Object, "status", "phase")
			size, _, _ := unstructured.NestedString(obj.Object, "status", "capacity", "storage")
			return phase == "Bound" && size == "1Gi"
		})
		eventually(ctx, t, c, resource("", "v1", "services"), "default", "front", func(obj *unstructured.Unstructured) bool {
			list, _, _ := unstructured.NestedSlice(obj.Object, "status", "loadBalancer", "ingress")
			return len(list) == 1
		})
	}
}

const release = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %[1]s, namespace: default, annotations: {%[3]s}}
spec:
  interval: 1h
  targetNamespace: %[1]s
  install: {createNamespace: true}
  chart: {spec: {chart: %[2]s, version: 1.x, sourceRef: {kind: HelmRepository, name: any}}}
  values: {crds: {enabled: true}} # cert-manager brings its kinds only if told to
`

func testHelm(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		apply(ctx, t, c, release, "certs", "cert-manager", "")
		hr := eventually(ctx, t, c, HelmReleases(), "default", "certs", is("Ready", "True"))
		if n, _, _ := unstructured.NestedInt64(hr.Object, "status", "observedGeneration"); n != hr.GetGeneration() {
			t.Errorf("observedGeneration is %d, want %d", n, hr.GetGeneration())
		}
		eventually(ctx, t, c, resource("apps", "v1", "deployments"), "certs", "cert-manager", is("Available", "True"))
		apply(ctx, t, c, `apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: self}
spec: {selfSigned: {}}
`)
		eventually(ctx, t, c, resource("cert-manager.io", "v1", "clusterissuers"), "", "self", is("Ready", "True"))

		// Cilium's operator registers its kinds some time after the release is Ready.
		apply(ctx, t, c, release, "net", "cilium", "")
		eventually(ctx, t, c, HelmReleases(), "default", "net", is("Ready", "True"))
		eventually(ctx, t, c, resource("apiextensions.k8s.io", "v1", "customresourcedefinitions"), "",
			"ciliumnetworkpolicies.cilium.io", is("Established", "True"))
	}
}

func testHelmStalls(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		apply(ctx, t, c, release, "bad", "headlamp", standin.FaultAnnotation+": stalled")
		hr := eventually(ctx, t, c, HelmReleases(), "default", "bad", is("Stalled", "True"))
		if _, reason, _ := Condition(hr, "Stalled"); reason != "RetriesExceeded" {
			t.Errorf("got reason %s, want RetriesExceeded", reason)
		}
		if status, _, _ := Condition(hr, "Ready"); status != "False" {
			t.Errorf("got Ready=%s, want False", status)
		}
	}
}

func testCDI(ctx context.Context, c *Cluster) func(*testing.T) {
	return func(t *testing.T) {
		cdi := catalog.Kind{Group: "cdi.kubevirt.io", Kind: "CDI", Plural: "cdis", Versions: []string{"v1beta1"}, Scope: catalog.Cluster}
		if err := c.ApplyObjects(ctx, []*unstructured.Unstructured{standin.CRD(cdi, nil)}); err != nil {
			t.Fatal(err)
		}
		apply(ctx, t, c, `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: longhorn-vm}
provisioner: driver.longhorn.example.org
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: CDI
metadata: {name: cdi}
spec: {}
`)
		crd := resource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
		if !pause(ctx, 1500*time.Millisecond) {
			t.Fatal(ctx.Err())
		}
		if _, err := c.Get(ctx, crd, "", "storageprofiles.cdi.kubevirt.io"); !apierrors.IsNotFound(err) {
			t.Errorf("without its operator, CDI brought its kinds: %v", err)
		}
		apply(ctx, t, c, "apiVersion: v1\nkind: Namespace\nmetadata: {name: cdi}\n---\n"+
			strings.ReplaceAll(workload, "default", "cdi"), "Deployment", "cdi-operator", "")
		eventually(ctx, t, c, crd, "", "storageprofiles.cdi.kubevirt.io", is("Established", "True"))
		eventually(ctx, t, c, resource("cdi.kubevirt.io", "v1beta1", "cdis"), "", "cdi", is("Available", "True"))

		profiles := resource("cdi.kubevirt.io", "v1beta1", "storageprofiles")
		modes := func(want ...any) func(*unstructured.Unstructured) bool {
			return func(obj *unstructured.Unstructured) bool {
				sets, _, _ := unstructured.NestedSlice(obj.Object, "status", "claimPropertySets")
				if len(sets) != 1 {
					return false
				}
				got, _, _ := unstructured.NestedSlice(sets[0].(map[string]any), "accessModes")
				return reflect.DeepEqual(got, want)
			}
		}
		eventually(ctx, t, c, profiles, "", "longhorn-vm", modes("ReadWriteOnce"))
		apply(ctx, t, c, `apiVersion: cdi.kubevirt.io/v1beta1
kind: StorageProfile
metadata: {name: longhorn-vm}
spec: {claimPropertySets: [{accessModes: [ReadWriteMany], volumeMode: Block}]}
`)
		got, err := c.Dynamic().Resource(profiles).Get(ctx, "longhorn-vm", metav1.GetOptions{})
		if err != nil || !modes("ReadWriteOnce")(got) {
			t.Errorf("the spec was folded in at once, want a gap: %v", err)
		}
		eventually(ctx, t, c, profiles, "", "longhorn-vm", modes("ReadWriteMany"))
	}
}
