package bootstrap_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/tiers"
	"github.com/standup-sh/standup/waiters"
)

// flux is a World and a Writer in front of a small kustomize-controller that
// runs on virtual time: dependencies are looked at only when an object is
// woken, a blocked object sleeps 30 s, a failed one its retryInterval. The lab
// has the real one; this one is for what needs thousands of runs or hours.
type flux struct {
	mu       sync.Mutex
	objects  map[tiers.Ref]*kustomizev1.Kustomization
	plans    map[tiers.Ref]*behaviour
	sources  map[tiers.Ref]waiters.Source
	fetches  map[tiers.Ref]*fetching
	inGit    map[tiers.Ref]bool
	dirty    map[tiers.Ref]bool
	changed  chan struct{}
	busy     map[tiers.Ref]bool
	checks   map[tiers.Ref]bool // says that it runs health checks meanwhile
	again    map[tiers.Ref]bool
	writes   []string
	writeErr func(verb string, ref tiers.Ref) error
	work     time.Duration // sum of all reconciles that ended well
	stopped  bool
	releases map[string]*helmRelease // by name
	onTouch  func(ref tiers.Ref)     // runs with the lock held
	version  int
}

// behaviour is how one Kustomization's reconciles go.
type behaviour struct {
	takes time.Duration
	// outcome returns "" for success, else reason and message of the failure.
	outcome func(attempt int) (reason, message string)
	// forgets is the attempt whose end cannot be written: the object stays in
	// progress and the controller sleeps.
	forgets int
	// applied runs when an attempt ends well, with the lock held.
	applied  func(f *flux)
	attempts int
}

func newFlux() *flux {
	f := &flux{
		objects: map[tiers.Ref]*kustomizev1.Kustomization{}, plans: map[tiers.Ref]*behaviour{},
		sources: map[tiers.Ref]waiters.Source{}, fetches: map[tiers.Ref]*fetching{}, inGit: map[tiers.Ref]bool{},
		dirty: map[tiers.Ref]bool{}, changed: make(chan struct{}, 1),
		busy: map[tiers.Ref]bool{}, checks: map[tiers.Ref]bool{}, again: map[tiers.Ref]bool{},
	}
	f.setSource("main@sha1:1")
	return f
}

var gitSource = tiers.Ref{Kind: tiers.KindGitRepository, Namespace: "flux-system", Name: "flux-system"}

func (f *flux) setSource(revision string) {
	f.sources[gitSource] = waiters.Source{
		Kind: gitSource.Kind, Namespace: gitSource.Namespace, Name: gitSource.Name, Generation: 1, ObservedGeneration: 1,
		Conditions: []metav1.Condition{{Type: meta.ReadyCondition, Status: metav1.ConditionTrue, ObservedGeneration: 1, Reason: "Succeeded"}},
		Artifact:   &meta.Artifact{Revision: revision},
	}
	f.touch(gitSource)
}

// commit moves the source, which wakes its consumers.
func (f *flux) commit(revision string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.setSource(revision)
	for ref := range f.objects {
		f.wake(ref)
	}
}

// add makes a Kustomization with the given dependencies.
func (f *flux) add(name string, b behaviour, deps ...string) *kustomizev1.Kustomization {
	k := &kustomizev1.Kustomization{}
	k.Namespace, k.Name, k.Generation = "flux-system", name, 1
	k.Spec.Wait = true
	k.Spec.Interval = metav1.Duration{Duration: time.Hour}
	k.Spec.SourceRef = kustomizev1.CrossNamespaceSourceReference{Kind: gitSource.Kind, Name: gitSource.Name}
	k.Status.ObservedGeneration = -1
	for _, d := range deps {
		k.Spec.DependsOn = append(k.Spec.DependsOn, kustomizev1.DependencyReference{Name: d})
	}
	ref := tiers.KustomizationRef("flux-system", name)
	f.objects[ref], f.plans[ref] = k, &b
	f.touch(ref)
	return k
}

// boot starts the controller: everything that is not suspended wakes at once.
// It returns when what is suspended has been looked at and put aside.
func (f *flux) boot() {
	f.mu.Lock()
	for _, ref := range slices.SortedFunc(maps.Keys(f.objects), tiers.Ref.Compare) {
		f.wake(ref)
	}
	f.mu.Unlock()
	<-time.After(5 * time.Millisecond)
}

func (f *flux) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
}

func (f *flux) touch(ref tiers.Ref) {
	if f.onTouch != nil {
		f.onTouch(ref)
	}
	f.dirty[ref] = true
	f.version++
	if k := f.objects[ref]; k != nil {
		k.ResourceVersion = fmt.Sprint(f.version)
	}
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// after runs do with the lock held, in d.
func (f *flux) after(d time.Duration, do func()) {
	time.AfterFunc(d, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.stopped {
			do()
		}
	})
}

func (f *flux) wake(ref tiers.Ref) {
	if f.busy[ref] {
		f.again[ref] = true
		return
	}
	f.busy[ref] = true
	f.after(2*time.Millisecond, func() { f.reconcile(ref) })
}

func (f *flux) done(ref tiers.Ref, requeue time.Duration) {
	k := f.objects[ref]
	if k == nil {
		return
	}
	if v, ok := meta.ReconcileAnnotationValue(k.Annotations); ok {
		k.Status.LastHandledReconcileAt = v
	}
	f.touch(ref)
	f.busy[ref] = false
	if f.again[ref] {
		f.again[ref] = false
		f.wake(ref)
	} else if requeue > 0 {
		f.after(requeue, func() { f.wake(ref) })
	}
}

func (f *flux) condition(k *kustomizev1.Kustomization, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&k.Status.Conditions, metav1.Condition{
		Type: meta.ReadyCondition, Status: status, Reason: reason, Message: message, ObservedGeneration: k.Generation,
	})
	reconciling := metav1.Condition{Type: meta.ReconcilingCondition, Status: metav1.ConditionTrue, Reason: meta.ProgressingReason, ObservedGeneration: k.Generation}
	switch status {
	case metav1.ConditionTrue:
		apimeta.RemoveStatusCondition(&k.Status.Conditions, meta.ReconcilingCondition)
		k.Status.ObservedGeneration = k.Generation
		return
	case metav1.ConditionFalse:
		reconciling.Reason = meta.ProgressingWithRetryReason
	case metav1.ConditionUnknown:
	}
	apimeta.SetStatusCondition(&k.Status.Conditions, reconciling)
}

func (f *flux) reconcile(ref tiers.Ref) {
	k, b := f.objects[ref], f.plans[ref]
	if k == nil || k.Spec.Suspend {
		f.done(ref, 0)
		return
	}
	revision, problem := f.artifact(k)
	if problem != "" {
		f.condition(k, metav1.ConditionFalse, meta.ArtifactFailedReason, problem)
		f.done(ref, 30*time.Second)
		return
	}
	for _, d := range k.Spec.DependsOn {
		dep := f.objects[tiers.KustomizationRef("flux-system", d.Name)]
		var problem string
		switch {
		case dep == nil:
			problem = fmt.Sprintf("dependency 'flux-system/%s' not found: kustomizations.kustomize.toolkit.fluxcd.io %q not found", d.Name, d.Name)
		case dep.Generation != dep.Status.ObservedGeneration || !apimeta.IsStatusConditionTrue(dep.Status.Conditions, meta.ReadyCondition):
			problem = fmt.Sprintf("dependency 'flux-system/%s' is not ready", d.Name)
		case dep.Status.LastAppliedRevision != revision:
			problem = fmt.Sprintf("dependency 'flux-system/%s' revision is not up to date", d.Name)
		}
		if problem != "" {
			f.condition(k, metav1.ConditionFalse, meta.DependencyNotReadyReason, problem)
			f.done(ref, 30*time.Second)
			return
		}
	}
	k.Status.LastAttemptedRevision = revision
	f.condition(k, metav1.ConditionUnknown, meta.ProgressingReason, "Reconciliation in progress")
	if f.checks[ref] {
		c := apimeta.FindStatusCondition(k.Status.Conditions, meta.ReconcilingCondition)
		c.Message = fmt.Sprintf("Running health checks for revision %s with a timeout of %s", revision, k.GetTimeout())
	}
	f.touch(ref)
	f.after(b.takes, func() { f.finish(ref, revision) })
}

func (f *flux) finish(ref tiers.Ref, revision string) {
	k, b := f.objects[ref], f.plans[ref]
	if k == nil {
		return
	}
	b.attempts++
	if b.attempts == b.forgets {
		f.busy[ref] = false
		return
	}
	var reason, message string
	if b.outcome != nil {
		reason, message = b.outcome(b.attempts)
	}
	if reason != "" {
		f.condition(k, metav1.ConditionFalse, reason, message)
		f.done(ref, k.GetRetryInterval())
		return
	}
	f.work += b.takes
	k.Status.LastAppliedRevision = revision
	f.condition(k, metav1.ConditionTrue, meta.ReconciliationSucceededReason, "Applied revision: "+revision)
	f.done(ref, k.Spec.Interval.Duration)
	if b.applied != nil {
		b.applied(f)
	}
}

// The World.

func (f *flux) Kustomization(ref tiers.Ref) *kustomizev1.Kustomization {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k := f.objects[ref]; k != nil {
		return k.DeepCopy()
	}
	return nil
}

func (f *flux) Kustomizations() []*kustomizev1.Kustomization {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*kustomizev1.Kustomization
	for _, ref := range slices.SortedFunc(maps.Keys(f.objects), tiers.Ref.Compare) {
		out = append(out, f.objects[ref].DeepCopy())
	}
	return out
}

func (f *flux) Source(ref tiers.Ref) (waiters.Source, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.sources[ref]
	return s, ok
}

func (f *flux) Sources() []waiters.Source {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []waiters.Source
	for _, ref := range slices.SortedFunc(maps.Keys(f.sources), tiers.Ref.Compare) {
		out = append(out, f.sources[ref])
	}
	return out
}

func (f *flux) Suspension(ref tiers.Ref) tiers.Suspension {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.objects[ref]
	suspended := k != nil && k.Spec.Suspend || f.sources[ref].Suspended
	switch {
	case !suspended:
		return tiers.NotSuspended
	case f.inGit[ref]:
		return tiers.SuspendedInGit
	}
	return tiers.SuspendedLive
}

func (f *flux) Changed() <-chan struct{} { return f.changed }

func (f *flux) TakeChanged() []tiers.Ref {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.SortedFunc(maps.Keys(f.dirty), tiers.Ref.Compare)
	clear(f.dirty)
	return out
}

// The Writer.

func (f *flux) Resume(_ context.Context, ref tiers.Ref) error {
	return f.write("resume", ref, func() {
		if k := f.objects[ref]; k != nil {
			k.Spec.Suspend = false
			k.Generation++
		}
		if s, ok := f.sources[ref]; ok {
			s.Suspended = false
			s.Generation++
			f.sources[ref] = s
		}
	})
}

func (f *flux) Nudge(_ context.Context, ref tiers.Ref, token string) error {
	return f.write("nudge", ref, func() {
		if k := f.objects[ref]; k != nil {
			k.Annotations = map[string]string{meta.ReconcileRequestAnnotation: token}
		}
		if s, ok := f.sources[ref]; ok {
			s.RequestedAt = token
			f.sources[ref] = s
		}
	})
}

func (f *flux) Reset(_ context.Context, release tiers.Ref, token string) error {
	return f.write("reset", release, func() {
		if hr := f.releases[release.Name]; hr != nil {
			hr.reset(token)
		}
	})
}

func (f *flux) write(verb string, ref tiers.Ref, do func()) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writeErr != nil {
		if err := f.writeErr(verb, ref); err != nil {
			return err
		}
	}
	f.writes = append(f.writes, verb+" "+ref.Name)
	do()
	f.touch(ref)
	switch {
	case f.objects[ref] != nil:
		f.wake(ref)
	case f.releases[ref.Name] == nil:
		f.wakeSource(ref)
	}
	return nil
}
