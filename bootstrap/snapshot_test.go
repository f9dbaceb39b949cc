package bootstrap_test

import (
	"testing"
	"testing/synctest"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/bootstrap"
	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// only is the snapshot of a world that holds nothing but k.
func only(t *testing.T, f *flux) tiers.Kustomization {
	t.Helper()
	s := bootstrap.Snapshot(f)
	if len(s.Kustomizations) != 1 {
		t.Fatalf("%d Kustomizations, want 1", len(s.Kustomizations))
	}
	return s.Kustomizations[0]
}

func owned(k *kustomizev1.Kustomization, namespace, name string) {
	k.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": name, "kustomize.toolkit.fluxcd.io/namespace": namespace}
}

func healthCheck(kind, namespace, name string) meta.NamespacedObjectKindReference {
	return meta.NamespacedObjectKindReference{APIVersion: "v1", Kind: kind, Namespace: namespace, Name: name}
}

// readyAt makes k what its controller leaves behind after a good pass.
func readyAt(k *kustomizev1.Kustomization, revision string) {
	k.Status.ObservedGeneration, k.Status.LastAppliedRevision = k.Generation, revision
	k.Status.Conditions = []metav1.Condition{{Type: meta.ReadyCondition, Status: metav1.ConditionTrue, ObservedGeneration: k.Generation, Reason: "ReconciliationSucceeded"}}
}

func TestASnapshotHasWhatAPlanIsMadeFrom(t *testing.T) {
	plain := tiers.Kustomization{
		Ref: tiers.KustomizationRef("flux-system", "k"), Source: gitSource, Waits: true,
		Interval: time.Hour, RetryInterval: time.Hour,
	}
	for name, c := range map[string]struct {
		object func(*kustomizev1.Kustomization)
		want   func(*tiers.Kustomization)
	}{
		"a plain one": {
			object: func(*kustomizev1.Kustomization) {}, want: func(*tiers.Kustomization) {},
		},
		"a retry interval of its own": {
			object: func(k *kustomizev1.Kustomization) { k.Spec.RetryInterval = &metav1.Duration{Duration: time.Minute} },
			want:   func(k *tiers.Kustomization) { k.RetryInterval = time.Minute },
		},
		"a parent": {
			object: func(k *kustomizev1.Kustomization) { owned(k, "flux-system", "root") },
			want:   func(k *tiers.Kustomization) { k.Parent = tiers.KustomizationRef("flux-system", "root") },
		},
		"a parent in another namespace, of the same name": {
			object: func(k *kustomizev1.Kustomization) { owned(k, "tenants", "k") },
			want:   func(k *tiers.Kustomization) { k.Parent = tiers.KustomizationRef("tenants", "k") },
		},
		"one that applies itself is a root": {
			object: func(k *kustomizev1.Kustomization) { owned(k, "flux-system", "k") },
			want:   func(*tiers.Kustomization) {},
		},
		"dependencies in its own namespace and elsewhere": {
			object: func(k *kustomizev1.Kustomization) {
				k.Spec.DependsOn = []kustomizev1.DependencyReference{{Name: "b"}, {Namespace: "infra", Name: "a"}}
			},
			want: func(k *tiers.Kustomization) {
				k.DependsOn = []tiers.Ref{tiers.KustomizationRef("flux-system", "b"), tiers.KustomizationRef("infra", "a")}
			},
		},
		"a source elsewhere": {
			object: func(k *kustomizev1.Kustomization) {
				k.Spec.SourceRef = kustomizev1.CrossNamespaceSourceReference{Kind: tiers.KindBucket, Namespace: "infra", Name: "s3"}
			},
			want: func(k *tiers.Kustomization) {
				k.Source = tiers.Ref{Kind: tiers.KindBucket, Namespace: "infra", Name: "s3"}
			},
		},
		"without wait": {
			object: func(k *kustomizev1.Kustomization) { k.Spec.Wait = false },
			want:   func(k *tiers.Kustomization) { k.Waits = false },
		},
		"health checks of other kinds do not wait for Kustomizations": {
			object: func(k *kustomizev1.Kustomization) {
				k.Spec.Wait = false
				k.Spec.HealthChecks = []meta.NamespacedObjectKindReference{healthCheck("Deployment", "apps", "web")}
			},
			want: func(k *tiers.Kustomization) { k.Waits = false },
		},
		"health checks of Kustomizations narrow what is waited for": {
			object: func(k *kustomizev1.Kustomization) {
				k.Spec.Wait = false
				k.Spec.HealthChecks = []meta.NamespacedObjectKindReference{
					healthCheck("Kustomization", "", "near"), healthCheck("Deployment", "apps", "web"), healthCheck("Kustomization", "far", "off"),
				}
			},
			want: func(k *tiers.Kustomization) {
				k.WaitsFor = []tiers.Ref{tiers.KustomizationRef("flux-system", "near"), tiers.KustomizationRef("far", "off")}
			},
		},
		"with wait the controller ignores health checks": {
			object: func(k *kustomizev1.Kustomization) {
				k.Spec.HealthChecks = []meta.NamespacedObjectKindReference{healthCheck("Kustomization", "", "near")}
			},
			want: func(*tiers.Kustomization) {},
		},
		"Ready at the source's revision is settled": {
			object: func(k *kustomizev1.Kustomization) { readyAt(k, "main@sha1:1") },
			want:   func(k *tiers.Kustomization) { k.Settled = true },
		},
		"Ready at another revision is not": {
			object: func(k *kustomizev1.Kustomization) { readyAt(k, "main@sha1:0") }, want: func(*tiers.Kustomization) {},
		},
		"Ready for another generation is not": {
			object: func(k *kustomizev1.Kustomization) { readyAt(k, "main@sha1:1"); k.Generation++ }, want: func(*tiers.Kustomization) {},
		},
		"not Ready is not": {
			object: func(k *kustomizev1.Kustomization) {
				readyAt(k, "main@sha1:1")
				k.Status.Conditions[0].Status = metav1.ConditionFalse
			},
			want: func(*tiers.Kustomization) {},
		},
		"suspended and settled, as a dependent sees it": {
			object: func(k *kustomizev1.Kustomization) { readyAt(k, "main@sha1:1"); k.Spec.Suspend = true },
			want:   func(k *tiers.Kustomization) { k.Settled, k.Suspension = true, tiers.SuspendedLive },
		},
		"without a source any revision settles": {
			object: func(k *kustomizev1.Kustomization) { readyAt(k, "main@sha1:0"); k.Spec.SourceRef.Name = "gone" },
			want: func(k *tiers.Kustomization) {
				k.Settled, k.Source = true, tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "gone"}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFlux()
			c.object(f.add("k", behaviour{}))
			want := plain
			c.want(&want)
			if diff := cmp.Diff(want, only(t, f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestASnapshotTellsWhoSuspended(t *testing.T) {
	f := newFlux()
	f.add("git", behaviour{}).Spec.Suspend = true
	f.inGit[tiers.KustomizationRef("flux-system", "git")] = true
	f.add("live", behaviour{}).Spec.Suspend = true
	f.add("running", behaviour{})
	got := map[string]tiers.Suspension{}
	for _, k := range bootstrap.Snapshot(f).Kustomizations {
		got[k.Ref.Name] = k.Suspension
	}
	want := map[string]tiers.Suspension{"git": tiers.SuspendedInGit, "live": tiers.SuspendedLive, "running": tiers.NotSuspended}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASnapshotHasEverySource(t *testing.T) {
	f := newFlux()
	empty := f.addSource("empty", fetching{})
	f.changeSource(empty, func(s *waiters.Source) { s.Suspended = true })
	want := []tiers.Source{
		{Ref: empty, Suspension: tiers.SuspendedLive},
		{Ref: gitSource, Settled: true},
	}
	if diff := cmp.Diff(want, bootstrap.Snapshot(f).Sources); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLookJudgesAsARunWould(t *testing.T) {
	f := newFlux()
	readyAt(f.add("ready", behaviour{}), "main@sha1:1")
	readyAt(f.add("stale", behaviour{}), "main@sha1:0")
	for name, want := range map[string]waiters.State{"ready": waiters.Ready, "stale": waiters.Stale, "absent": waiters.Missing} {
		got := bootstrap.Look(f, tiers.KustomizationRef("flux-system", name))
		if got.State != want {
			t.Errorf("%s is %s, want %s", name, got.State, want)
		}
		if absent := got.Cause.Kind == waiters.NotApplied; absent != (want == waiters.Missing) {
			t.Errorf("%s: cause %s", name, got.Cause.Kind)
		}
	}
}

// A parent that is suspended and settled holds its dependents back no longer
// than it takes to ask for another look at them.
func TestADependencyThatIsLeftSuspendedAndSettledDoesNotCostARequeue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlux()
		db := f.add("db", behaviour{takes: time.Second})
		f.add("app", behaviour{takes: time.Second}, "db")
		f.boot()
		<-time.After(2 * time.Second) // db is Ready, app sleeps for 30 s
		db.Spec.Suspend = true
		f.inGit[tiers.KustomizationRef("flux-system", "db")] = true
		e := stand(t, t.Context(), f, nil, nil)
		succeeded(t, e)
		if e.took > 5*time.Second {
			t.Errorf("took %s for a second of work", e.took)
		}
	})
}
