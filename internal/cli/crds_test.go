package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/standup-sh/standup/internal/ui/uitest"
)

func TestCrdsWithNothingToDo(t *testing.T) {
	for _, output := range outputs() {
		f := newFleet(t, chain()...)
		f.golden(t, "crds-nothing."+output, ExitOK, "crds", "-o", output)
		f.unchanged(t)
	}
}

// A kind that is on its way is told of, and no wedge.
func TestCrdsWhenTheKindComesByItself(t *testing.T) {
	for _, output := range outputs() {
		f := newWedged(t)
		f.change(t, "apps", func(k *kustomizationV1) { k.Spec.DependsOn = nil })
		f.change(t, "apps", applied(revision)) // of the generation that this made
		tree := f.tree(t, map[string]string{
			"storage/all.yaml": "{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: longhorn-vm}}\n",
			"apps/all.yaml":    "{apiVersion: cdi.kubevirt.io/v1beta1, kind: CDI, metadata: {name: cdi}}\n",
		})
		f.golden(t, "crds-coming."+output, ExitOK, "crds", "--path", tree, "-o", output)
		f.unchanged(t)
	}
}

func TestCrdsDryRun(t *testing.T) {
	f := newWedged(t)
	f.golden(t, "crds-dry-run", ExitOK, "crds", "--path", f.storage(t), "--dry-run")
	f.unchanged(t)
	f = newFleet(t, chain()...)
	f.golden(t, "crds-dry-run-nothing", ExitOK, "crds", "--dry-run")
	f.unchanged(t)
}

func TestCrdsBreaksAWedge(t *testing.T) {
	for _, output := range []string{"plain", "json"} {
		f := newWedged(t)
		f.operates()
		args := []string{"crds", "--path", f.storage(t), "-o", output}
		r := f.start(t, args...)
		f.applies(t, r.errs)
		code := r.end(t)
		if code != ExitOK {
			t.Errorf("exit code %d", code)
		}
		uitest.Golden(t, "crds-repair."+output, f.said(args, r.out.String(), r.errs.String(), code))
		if got := f.appliedEarly(t); !slices.Equal(got, []string{"CDI/cdi"}) {
			t.Errorf("applied %q", got)
		}
		if holder := f.holder(t); holder != "" {
			t.Errorf("-o %s: %s keeps the lock", output, holder)
		}
		if text, code := f.run(t, "crds", "--path", f.storage(t)); code != ExitOK || !strings.Contains(text, "nothing to do") {
			t.Errorf("the second run: exit code %d\n%s", code, text)
		}
	}
}

// The stream has each step's beginning, deed and end; what is seen in between
// depends on who is faster.
func TestCrdsStreamsItsEvents(t *testing.T) {
	f := newWedged(t)
	f.operates()
	r := f.start(t, "crds", "--path", f.storage(t), "-o", "jsonl")
	f.applies(t, r.out)
	code := r.end(t)
	var told strings.Builder
	for line := range strings.Lines(r.out.String()) {
		var e struct{ Type, Step, Name, Action, Outcome string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Type != "step.observed" {
			told.WriteString(strings.Join(strings.Fields(strings.Join([]string{e.Type, e.Name, e.Step, e.Action, e.Outcome}, " ")), " ") + "\n")
		}
	}
	want := `plan
preflight access Succeeded
preflight controllers Succeeded
preflight source Succeeded
step.started pre-apply:CDI/cdi
step.acted pre-apply:CDI/cdi pre-applied
step.finished pre-apply:CDI/cdi Succeeded
step.started served:kind/StorageProfile.cdi.kubevirt.io
step.finished served:kind/StorageProfile.cdi.kubevirt.io Succeeded
step.started applied:Kustomization/flux-system/storage
step.acted applied:Kustomization/flux-system/storage nudged
step.finished applied:Kustomization/flux-system/storage Succeeded
step.started handover:CDI/cdi
step.finished handover:CDI/cdi Succeeded
run.finished
`
	if diff := cmp.Diff(want, told.String()); diff != "" || code != ExitOK {
		t.Errorf("exit code %d (-want +got):\n%s", code, diff)
	}
}

// Every kind that nothing brings is named, not only the first, and what to do.
func TestCrdsNamesAllThatNothingBrings(t *testing.T) {
	tree := map[string]string{"storage/all.yaml": storageSet + `---
{apiVersion: acme.io/v1, kind: Widget, metadata: {name: w, namespace: default}}
---
{apiVersion: acme.io/v1, kind: Gadget, metadata: {name: g, namespace: default}}
`, "apps/vars.yaml": appsSet}
	for _, output := range outputs() {
		f := newWedged(t)
		f.golden(t, "crds-unrepairable."+output, ExitVerdict, "crds", "--path", f.tree(t, tree), "-o", output)
		f.unchanged(t)
	}
}

func TestCrdsWithoutTheOperator(t *testing.T) {
	f := newWedged(t)
	f.Forget(t, "apps/v1", "Deployment", "cdi", "cdi-operator")
	f.golden(t, "crds-no-operator", ExitPrecondition, "crds", "--path", f.storage(t))
	f.unchanged(t)
}

func TestCrdsWhenAVariableIsNotDefined(t *testing.T) {
	f := newWedged(t, substitutes)
	f.Put(t, secretVars())
	tree := f.tree(t, map[string]string{"storage/all.yaml": storageSet + "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: vars\n  namespace: default\ndata: {domain: \"${DOMAIN}\"}\n"})
	f.golden(t, "crds-undefined", ExitVerdict, "crds", "--path", tree)
	f.unchanged(t)
}

// What a person knows of a provider counts.
func TestCrdsUsesSecondOrder(t *testing.T) {
	tree := map[string]string{"storage/all.yaml": "{apiVersion: acme.io/v1, kind: Factory, metadata: {name: f, namespace: default}}\n---\n{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: p}}\n"}
	f := newWedged(t)
	f.Serve("acme.io/v1", kindOf("factories", "Factory"))
	root := f.tree(t, tree)
	if text, code := f.run(t, "crds", "--path", root, "--dry-run"); code != ExitVerdict {
		t.Errorf("without it: exit code %d\n%s", code, text)
	}
	order := f.order(t, "tiers:\n  - name: storage\n  - name: apps\nsecondOrder:\n  - provider: {group: acme.io, kind: Factory}\n    provides: [cdi.kubevirt.io/StorageProfile]\n")
	f.golden(t, "crds-second-order", ExitOK, "crds", "-f", order, "--path", root, "--dry-run")
	f.unchanged(t)
}

// What is asked for by name is applied early, where nobody knows what brings the
// kind.
func TestCrdsPreAppliesByName(t *testing.T) {
	f := newWedged(t)
	f.Serve("acme.io/v1", kindOf("factories", "Factory"))
	root := f.tree(t, map[string]string{"storage/all.yaml": "{apiVersion: acme.io/v1, kind: Factory, metadata: {name: f, namespace: default}}\n---\n{apiVersion: cdi.kubevirt.io/v1beta1, kind: StorageProfile, metadata: {name: p}}\n"})
	f.golden(t, "crds-by-name", ExitOK, "crds", "--path", root, "--dry-run", "--kustomization", "storage", "--pre-apply", "Factory/default/f")
	f.golden(t, "crds-by-wrong-name", ExitUsage, "crds", "--path", root, "--dry-run", "--kustomization", "storage", "--pre-apply", "Factory/default/g")
	f.unchanged(t)
}

func TestCrdsWhileAnotherRunHoldsTheLock(t *testing.T) {
	f := newWedged(t)
	f.Put(t, heldBy("elsewhere/8/-/x2", time.Now()))
	f.golden(t, "crds-locked", ExitLocked, "crds", "--path", f.storage(t))
	if text, code := f.run(t, "crds", "--path", f.storage(t), "--dry-run"); code != ExitOK {
		t.Errorf("who only looks needs no lock: exit code %d\n%s", code, text)
	}
	f.unchanged(t)
}

// A signal ends the wait for a kind at once and gives the lock back; what was
// applied stays, for the next run.
func TestCrdsIsInterrupted(t *testing.T) {
	for cause, want := range map[error]int{ErrInterrupted: ExitInterrupted, ErrTerminated: ExitTerminated} {
		f := newWedged(t)
		r := f.start(t, "crds", "--path", f.storage(t))
		r.errs.await(t, "applied early")
		r.stop(cause)
		if code := r.end(t); code != want || !strings.Contains(r.out.String(), "Why: "+cause.Error()) {
			t.Errorf("exit code %d, want %d\n%s", code, want, r.out)
		}
		if holder := f.holder(t); holder != "" {
			t.Errorf("%s keeps the lock", holder)
		}
	}
}

// A kind that does not come is out of time, and names who should bring it.
func TestCrdsWhenTheKindDoesNotCome(t *testing.T) {
	f := newWedged(t)
	f.golden(t, "crds-not-served", ExitOutOfTime, "crds", "--path", f.storage(t), "--patience", "1s")
}
