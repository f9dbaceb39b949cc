package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/standup-sh/standup/internal/kube/kubetest"
	"github.com/standup-sh/standup/internal/ui/uitest"
)

const (
	namespace = "flux-system"
	revision  = "main@sha1:0123456789abcdef0123456789abcdef01234567"
	older     = "main@sha1:fedcba9876543210fedcba9876543210fedcba98"
)

// fleet is a cluster that Flux runs, and a machine to reach it from.
type fleet struct {
	*kubetest.Server
	dir        string // TIER_ORDER files and reports
	state      string // what XDG_STATE_HOME is
	kubeconfig string
}

// newFleet is a cluster with Flux, its source at revision, and the given
// Kustomizations.
func newFleet(t *testing.T, kustomizations ...*kustomizev1.Kustomization) *fleet {
	t.Helper()
	f := &fleet{Server: kubetest.New(t), dir: t.TempDir(), state: t.TempDir()}
	f.kubeconfig = f.Kubeconfig(t, kubetest.Token)
	f.Put(t, controller("source-controller", 1))
	f.Put(t, controller("kustomize-controller", 1))
	f.Put(t, gitRepository())
	for _, k := range kustomizations {
		f.Put(t, k)
	}
	return f
}

// chain is three Kustomizations, each behind the one before, all edited alike.
func chain(edits ...func(*kustomizev1.Kustomization)) []*kustomizev1.Kustomization {
	return []*kustomizev1.Kustomization{
		kustomization("cilium", edits...),
		kustomization("platform", append(edits, behind("cilium"))...),
		kustomization("apps", append(edits, behind("platform"))...),
	}
}

// kustomization is one that Flux has applied at revision, unless edited.
func kustomization(name string, edits ...func(*kustomizev1.Kustomization)) *kustomizev1.Kustomization {
	k := &kustomizev1.Kustomization{
		TypeMeta:   metav1.TypeMeta{APIVersion: kustomizev1.GroupVersion.String(), Kind: kustomizev1.KustomizationKind},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Generation: 1, CreationTimestamp: ago(3 * time.Hour)},
		Spec: kustomizev1.KustomizationSpec{
			Interval: metav1.Duration{Duration: 10 * time.Minute}, Path: "./" + name, Prune: true, Wait: true,
			SourceRef: kustomizev1.CrossNamespaceSourceReference{Kind: sourcev1.GitRepositoryKind, Name: "flux-system"},
		},
	}
	applied(revision)(k)
	for _, edit := range edits {
		edit(k)
	}
	return k
}

func behind(names ...string) func(*kustomizev1.Kustomization) {
	return func(k *kustomizev1.Kustomization) {
		for _, name := range names {
			k.Spec.DependsOn = append(k.Spec.DependsOn, kustomizev1.DependencyReference{Name: name})
		}
	}
}

// suspended is as a rebuild finds it: nothing was ever applied.
func suspended(k *kustomizev1.Kustomization) {
	k.Spec.Suspend = true
	k.Status = kustomizev1.KustomizationStatus{ObservedGeneration: -1}
}

// resumed is as a run leaves it: un-suspended, and applied since.
func resumed(k *kustomizev1.Kustomization) {
	k.Spec.Suspend = false
	k.Generation++
	applied(revision)(k)
}

// inGit makes the tree itself the one who suspends.
func inGit(k *kustomizev1.Kustomization) {
	k.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "kustomize-controller", Operation: metav1.ManagedFieldsOperationApply, APIVersion: k.APIVersion,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:suspend":{}}}`),
	}}
}

func applied(at string) func(*kustomizev1.Kustomization) {
	return func(k *kustomizev1.Kustomization) {
		k.Status.LastAppliedRevision, k.Status.LastAttemptedRevision = at, at
		apimeta.RemoveStatusCondition(&k.Status.Conditions, meta.ReconcilingCondition)
		say(k, metav1.ConditionTrue, meta.ReconciliationSucceededReason, "Applied revision: "+at)
	}
}

// failed is an attempt at revision that ended so.
func failed(reason, message string) func(*kustomizev1.Kustomization) {
	return func(k *kustomizev1.Kustomization) {
		k.Status.LastAttemptedRevision = revision
		say(k, metav1.ConditionFalse, reason, message)
	}
}

// busy is one whose health checks run.
func busy(k *kustomizev1.Kustomization) {
	k.Status.LastAttemptedRevision = revision
	say(k, metav1.ConditionUnknown, meta.ProgressingReason, "Reconciliation in progress")
}

// say is how kustomize-controller ends a pass, an hour and a half ago.
func say(k *kustomizev1.Kustomization, status metav1.ConditionStatus, reason, message string) {
	k.Status.ObservedGeneration = k.Generation
	k.Status.LastHandledReconcileAt = k.Annotations[meta.ReconcileRequestAnnotation]
	apimeta.RemoveStatusCondition(&k.Status.Conditions, meta.ReadyCondition) // or its old time stays
	apimeta.SetStatusCondition(&k.Status.Conditions, metav1.Condition{
		Type: meta.ReadyCondition, Status: status, Reason: reason, Message: message, ObservedGeneration: k.Generation,
		LastTransitionTime: ago(90 * time.Minute),
	})
}

// ago is far enough for its age to be the same word throughout a test.
func ago(d time.Duration) metav1.Time { return metav1.NewTime(time.Now().Add(-d)) }

func gitRepository() *sourcev1.GitRepository {
	return &sourcev1.GitRepository{
		TypeMeta:   metav1.TypeMeta{APIVersion: sourcev1.GroupVersion.String(), Kind: sourcev1.GitRepositoryKind},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "flux-system", Generation: 1},
		Spec:       sourcev1.GitRepositorySpec{URL: "https://git.example.test/fleet", Interval: metav1.Duration{Duration: time.Minute}},
		Status: sourcev1.GitRepositoryStatus{
			ObservedGeneration: 1, Artifact: &meta.Artifact{Revision: revision},
			Conditions: []metav1.Condition{{
				Type: meta.ReadyCondition, Status: metav1.ConditionTrue, Reason: meta.SucceededReason, ObservedGeneration: 1,
				Message: "stored artifact for revision '" + revision + "'",
			}},
		},
	}
}

func controller(name string, replicas int32) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app.kubernetes.io/part-of": "flux"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "manager", Image: "ghcr.io/fluxcd/" + name + ":v1.9.6"}}}},
		},
		Status: appsv1.DeploymentStatus{AvailableReplicas: replicas},
	}
}

// order writes a TIER_ORDER file and returns its name, to be given to -f.
func (f *fleet) order(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(f.dir, "TIER_ORDER.yaml")
	if err := os.WriteFile(path, []byte("apiVersion: standup/v1\nkind: TierOrder\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (f *fleet) getenv(name string) string {
	if name == "XDG_STATE_HOME" {
		return f.state
	}
	return ""
}

// argv is the command line, with the machine's own kubeconfig.
func (f *fleet) argv(args []string) []string {
	return slices.Concat([]string{"standup", "--kubeconfig", f.kubeconfig}, args)
}

// run runs a command to its end and returns what is the same in every run.
func (f *fleet) run(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	r := f.start(t, args...)
	code = r.end(t)
	return f.said(args, r.out.String(), r.errs.String(), code), code
}

func (f *fleet) said(args []string, out, errs string, code int) string {
	text := transcript(args, out, errs, code)
	for from, to := range map[string]string{f.URL: "https://cluster.test", strings.TrimPrefix(f.URL, "https://"): "cluster.test", f.dir + "/": "", f.state: "STATE"} {
		text = strings.ReplaceAll(text, from, to)
	}
	return normal().apply(text)
}

// golden runs a command, compares what it says, and wants its exit code.
func (f *fleet) golden(t *testing.T, name string, want int, args ...string) {
	t.Helper()
	text, code := f.run(t, args...)
	if code != want {
		t.Errorf("standup %s: exit code %d, want %d", strings.Join(args, " "), code, want)
	}
	uitest.Golden(t, name, text)
}

// written are the writes but those of the lock, which is renewed by the clock.
func (f *fleet) written() []string {
	return slices.DeleteFunc(f.Writes(), func(w string) bool { return strings.Contains(w, "/leases") })
}

// unchanged wants a cluster to which nothing was written.
func (f *fleet) unchanged(t *testing.T) {
	t.Helper()
	if got := f.Writes(); len(got) > 0 {
		t.Errorf("it wrote: %v", got)
	}
}
